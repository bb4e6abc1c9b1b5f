"""A deleted claim stays while a pod uses it, a deleted volume while a claim is bound to it: their finalizers say so."""

from __future__ import annotations

from argosy.kube.controllers.pods.state import is_going, is_terminal
from argosy.kube.objects import Object, name_of, namespace_of, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import CLAIM, POD, VOLUME

_OF_CLAIMS, _OF_VOLUMES = "kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"


def claims_of(pod: Object) -> set[str]:
    """Names of the claims that a pod mounts, its own ephemeral ones included. Pure."""
    found = set()
    for volume in pod["spec"].get("volumes") or ():
        if claim := (volume.get("persistentVolumeClaim") or {}).get("claimName"):
            found.add(claim)
        if volume.get("ephemeral"):
            found.add(f"{name_of(pod)}-{volume['name']}")
    return found


class Protection:
    """One loop for both kinds: a name with a namespace is a claim, one without a volume."""

    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._claims, self._volumes = place.copies.of(CLAIM), place.copies.of(VOLUME)
        self._pods = place.copies.of(POD)
        self.loop = Loop("volume-protection", self._look)
        self.loop.follow(self._claims)
        self.loop.follow(self._volumes)
        self._pods.on_change(self._pod_changed)

    def _pod_changed(self, before: Object | None, after: Object | None) -> None:
        if before is not None and (after is None or is_terminal(after)):
            for claim in claims_of(before):
                self.loop.add((namespace_of(before), claim))

    async def _look(self, name: Name) -> None:
        if name[0]:
            claim = self._claims.get(name[1], name[0])
            if claim is not None and is_going(claim) and not self._is_used(claim):
                await self._let_go(claim, _OF_CLAIMS)
        else:
            volume = self._volumes.get(name[1])
            if volume is not None and is_going(volume) and not _is_bound(volume):
                await self._let_go(volume, _OF_VOLUMES)

    def _is_used(self, claim: Object) -> bool:
        return any(
            name_of(claim) in claims_of(pod)
            for pod in self._pods.in_namespace(namespace_of(claim))
            if not is_terminal(pod)
        )

    async def _let_go(self, obj: Object, finalizer: str) -> None:
        finalizers = obj["metadata"].get("finalizers") or []
        if finalizer in finalizers:
            own = {"uid": uid_of(obj), "resourceVersion": obj["metadata"]["resourceVersion"]}
            kept = [one for one in finalizers if one != finalizer]
            await self._place.patch(obj, {"metadata": {**own, "finalizers": kept or None}})


def _is_bound(volume: Object) -> bool:
    return bool((volume.get("status") or {}).get("phase") == "Bound")


def make(place: Workplace) -> Loop:
    return Protection(place).loop
