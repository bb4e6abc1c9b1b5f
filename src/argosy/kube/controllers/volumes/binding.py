"""Binds claims and volumes to each other, makes volumes of our own provisioner, and takes back what was given up."""

from __future__ import annotations

from argosy.kube.controllers.pods.state import is_going
from argosy.kube.controllers.volumes import matching
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, annotations_of, name_of, namespace_of, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import CLAIM, POD, STORAGE_CLASS, VOLUME

_STORAGE_PROVISIONERS = (
    "volume.kubernetes.io/storage-provisioner",
    "volume.beta.kubernetes.io/storage-provisioner",
)


class Volumes:
    """One loop for both kinds: a name with a namespace is a claim, one without a volume."""

    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._claims, self._volumes = place.copies.of(CLAIM), place.copies.of(VOLUME)
        self._classes, self._pods = place.copies.of(STORAGE_CLASS), place.copies.of(POD)
        self.loop = Loop("persistentvolume", self._look, reads=(self._claims, self._volumes))
        self.loop.follow(self._claims)
        self.loop.follow(self._volumes)
        self._claims.on_change(self._claim_changed)
        self._volumes.on_change(self._volume_changed)
        self._classes.on_change(lambda _before, _after: self._try_all())
        self._pods.on_change(self._pod_changed)

    def _claim_changed(self, before: Object | None, after: Object | None) -> None:
        volume = (after or before or {})["spec"].get("volumeName")
        if volume:
            self.loop.add(("", volume))

    def _volume_changed(self, before: Object | None, after: Object | None) -> None:
        reference = (after or before or {})["spec"].get("claimRef")
        if reference:
            self.loop.add((reference["namespace"], reference["name"]))
        elif before is None:
            self._try_all()

    def _pod_changed(self, before: Object | None, after: Object | None) -> None:
        """A first user of a claim that waits for one."""
        if before is None and after is not None:
            for volume in after["spec"].get("volumes") or ():
                if claim := (volume.get("persistentVolumeClaim") or {}).get("claimName"):
                    self.loop.add((namespace_of(after), claim))

    def _try_all(self) -> None:
        for claim in self._claims:
            if not claim["spec"].get("volumeName"):
                self.loop.add_object(claim)

    async def _look(self, name: Name) -> None:
        if name[0]:
            claim = self._claims.get(name[1], name[0])
            if claim is not None:
                await self._look_at_claim(claim)
        else:
            volume = self._volumes.get(name[1])
            if volume is not None:
                await self._look_at_volume(volume)

    async def _look_at_claim(self, claim: Object) -> None:
        if matching.BIND_COMPLETED in annotations_of(claim):
            await self._check(claim)
            return
        if is_going(claim):
            return
        named = claim["spec"].get("volumeName")
        volume = self._volumes.get(named) if named else matching.find(claim, self._volumes)
        if volume is None and not named:
            volume = await self._provision(claim)
        if volume is not None and await self._promise(volume, claim):
            await self._bind(claim, volume)
        elif not (claim.get("status") or {}).get("phase"):
            await self._place.write_status(claim, {"phase": "Pending"})

    async def _check(self, claim: Object) -> None:
        """A bound claim whose volume is gone has lost its data."""
        volume = self._volumes.get(claim["spec"].get("volumeName", ""))
        if volume is not None and matching.is_promised(volume, claim):
            await self._place.write_status(claim, _bound(volume))
        elif (claim.get("status") or {}).get("phase") != "Lost":
            words = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
            await self._place.write_status(claim, {**(claim.get("status") or {}), "phase": "Lost"})
            self._place.events.warning(claim, "ClaimLost", words)

    async def _provision(self, claim: Object) -> Object | None:
        storage_class = self._classes.get(matching.class_of(claim))
        if storage_class is None:
            if matching.class_of(claim):
                words = f'storageclass.storage.k8s.io "{matching.class_of(claim)}" not found'
                self._place.events.warning(claim, "ProvisioningFailed", words)
            else:
                words = "no persistent volumes available for this claim and no storage class is set"
                self._place.events.normal(claim, "FailedBinding", words)
            return None
        waits = storage_class.get("volumeBindingMode") == "WaitForFirstConsumer"
        if waits and not self._has_user(claim):
            words = "waiting for first consumer to be created before binding"
            self._place.events.normal(claim, "WaitForFirstConsumer", words)
            return None
        if storage_class.get("provisioner") != matching.PROVISIONER:
            await self._leave_to_others(claim, str(storage_class.get("provisioner", "")))
            return None
        try:
            made = await self._place.create(matching.provisioned(claim, storage_class))
        except ApiError as error:
            if error.reason != "AlreadyExists":
                self._place.events.warning(claim, "ProvisioningFailed", error.message)
                raise
            return self._volumes.get(f"pvc-{uid_of(claim)}")
        self._place.events.normal(
            claim, "ProvisioningSucceeded", f"Successfully provisioned volume {name_of(made)}"
        )
        return made

    async def _leave_to_others(self, claim: Object, provisioner: str) -> None:
        """They find it by this annotation."""
        wanted = dict.fromkeys(_STORAGE_PROVISIONERS, provisioner)
        if not wanted.items() <= annotations_of(claim).items():
            await self._place.patch(claim, {"metadata": {"annotations": wanted}})
        words = (
            f"Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually by the "
            "system administrator. If volume creation is delayed, please verify that the provisioner is running and "
            "correctly registered."
        )
        self._place.events.normal(claim, "ExternalProvisioning", words)

    def _has_user(self, claim: Object) -> bool:
        return any(
            (volume.get("persistentVolumeClaim") or {}).get("claimName") == name_of(claim)
            for pod in self._pods.in_namespace(namespace_of(claim))
            for volume in pod["spec"].get("volumes") or ()
        )

    async def _promise(self, volume: Object, claim: Object) -> bool:
        """The volume says first whose it is, so that nobody else takes it."""
        if matching.is_promised(volume, claim) and volume["spec"]["claimRef"].get("uid"):
            return True
        if volume["spec"].get("claimRef") and not matching.is_promised(volume, claim):
            return False
        metadata = volume["metadata"]
        annotations = {**annotations_of(volume), matching.BOUND_BY_US: "yes"}
        spec = {**volume["spec"], "claimRef": matching.reference_to(claim)}
        await self._place.replace(
            {**volume, "metadata": {**metadata, "annotations": annotations}, "spec": spec}
        )
        return True

    async def _bind(self, claim: Object, volume: Object) -> None:
        annotations = {**annotations_of(claim), matching.BIND_COMPLETED: "yes"}
        if not claim["spec"].get("volumeName"):
            annotations[matching.BOUND_BY_US] = "yes"
        if annotations_of(volume).get(matching.PROVISIONED_BY):
            annotations |= dict.fromkeys(
                _STORAGE_PROVISIONERS, annotations_of(volume)[matching.PROVISIONED_BY]
            )
        spec = {**claim["spec"], "volumeName": name_of(volume)}
        metadata = {**claim["metadata"], "annotations": annotations}
        written = await self._place.replace({**claim, "metadata": metadata, "spec": spec})
        await self._place.write_status(written, _bound(volume))

    async def _look_at_volume(self, volume: Object) -> None:
        if is_going(volume):
            return
        reference = volume["spec"].get("claimRef")
        status = volume.get("status") or {}
        if not reference or not reference.get("uid"):
            await self._phase(volume, "Available")
            return
        claim = self._claims.get(reference["name"], reference["namespace"])
        if claim is not None and uid_of(claim) == reference["uid"]:
            if claim["spec"].get("volumeName") == name_of(volume):
                await self._phase(volume, "Bound")
            return
        if claim is None and await self._still_there(reference):
            return
        if status.get("phase") != "Released":
            await self._phase(volume, "Released")
        ours = annotations_of(volume).get(matching.PROVISIONED_BY) == matching.PROVISIONER
        if ours and volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
            await self._place.delete(volume)

    async def _still_there(self, reference: Object) -> bool:
        """The copy of claims may lag behind that of volumes."""
        live = await self._place.client.find(CLAIM, reference["name"], reference["namespace"])
        return live is not None and uid_of(live) == reference["uid"]

    async def _phase(self, volume: Object, phase: str) -> None:
        status = volume.get("status") or {}
        if status.get("phase") != phase:
            await self._place.write_status(volume, {**status, "phase": phase})


def _bound(volume: Object) -> Object:
    return {
        "phase": "Bound",
        "accessModes": volume["spec"].get("accessModes") or [],
        "capacity": volume["spec"].get("capacity") or {},
    }


def make(place: Workplace) -> Loop:
    return Volumes(place).loop
