"""Each namespace has a ConfigMap with the CA that signs the API server's certificate: what pods trust."""

from __future__ import annotations

from argosy.kube.controllers.pods.making import is_terminating_namespace
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, annotations_of, namespace_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import CONFIG_MAP, NAMESPACE

_NAME = "kube-root-ca.crt"
_DESCRIBED = "kubernetes.io/description"
_DESCRIPTION = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal "
    "service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters."
)


class RootCa:
    def __init__(self, place: Workplace, certificate: str) -> None:
        self._place, self._data = place, {"ca.crt": certificate}
        self._namespaces = place.copies.of(NAMESPACE)
        self._maps = place.copies.part_of(CONFIG_MAP, f"metadata.name={_NAME}")
        self.loop = Loop("root-ca", self._look)
        self.loop.follow(self._namespaces)
        self._maps.on_change(self._map_changed)

    def _map_changed(self, before: Object | None, after: Object | None) -> None:
        self.loop.add(("", namespace_of(after or before or {})))

    async def _look(self, name: Name) -> None:
        namespace = self._namespaces.get(name[1])
        if namespace is None or (namespace.get("status") or {}).get("phase") == "Terminating":
            return
        found = self._maps.get(_NAME, name[1])
        if found is None:
            await self._create(name[1])
        elif found.get("data") != self._data or not annotations_of(found).get(_DESCRIBED):
            metadata = {
                **found["metadata"],
                "annotations": {**annotations_of(found), _DESCRIBED: _DESCRIPTION},
            }
            await self._place.replace({**found, "metadata": metadata, "data": self._data})

    async def _create(self, namespace: str) -> None:
        metadata = {"name": _NAME, "namespace": namespace, "annotations": {_DESCRIBED: _DESCRIPTION}}
        made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": self._data}
        try:
            await self._place.create(made)
        except ApiError as error:
            if error.reason != "AlreadyExists" and not is_terminating_namespace(error):
                raise


def make(place: Workplace, certificate: str) -> Loop:
    return RootCa(place, certificate).loop
