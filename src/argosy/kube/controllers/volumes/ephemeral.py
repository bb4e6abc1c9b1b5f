"""Makes the claims that pods describe for themselves; they go with their pod."""

from __future__ import annotations

from argosy.kube.controllers.pods.making import is_terminating_namespace
from argosy.kube.controllers.pods.owning import owner_reference
from argosy.kube.controllers.pods.state import is_active
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, annotations_of, labels_of, name_of, namespace_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import CLAIM, POD


def wanted(pod: Object) -> list[Object]:
    """Pure."""
    found = []
    for volume in pod["spec"].get("volumes") or ():
        template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate")
        if template:
            metadata = {
                "name": f"{name_of(pod)}-{volume['name']}",
                "namespace": namespace_of(pod),
                "labels": dict(labels_of(template)),
                "annotations": dict(annotations_of(template)),
                "ownerReferences": [owner_reference(pod)],
            }
            found.append(
                {
                    "apiVersion": "v1",
                    "kind": "PersistentVolumeClaim",
                    "metadata": metadata,
                    "spec": template["spec"],
                }
            )
    return found


class EphemeralClaims:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._pods, self._claims = place.copies.of(POD), place.copies.of(CLAIM)
        self.loop = Loop("ephemeral-volume", self._look, reads=(self._claims,))
        self._pods.on_change(self._pod_changed)

    def _pod_changed(self, before: Object | None, after: Object | None) -> None:
        if before is None and after is not None and wanted(after):
            self.loop.add_object(after)

    async def _look(self, name: Name) -> None:
        pod = self._pods.get(name[1], name[0])
        if pod is None or not is_active(pod):
            return
        for claim in wanted(pod):
            if self._claims.get(name_of(claim), name[0]) is not None:
                continue
            try:
                await self._place.create(claim)
            except ApiError as error:
                if error.reason != "AlreadyExists" and not is_terminating_namespace(error):
                    raise


def make(place: Workplace) -> Loop:
    return EphemeralClaims(place).loop
