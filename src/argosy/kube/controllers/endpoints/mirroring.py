"""Copies Endpoints that people or their programs keep by hand into slices, which is what everybody reads today."""

from __future__ import annotations

import asyncio
import ipaddress

from argosy.kube.controllers.endpoints.addresses import HEADLESS
from argosy.kube.controllers.endpoints.slicing import MANAGED_BY, SERVICE_NAME
from argosy.kube.controllers.hashing import pruned
from argosy.kube.controllers.pods.owning import owner_reference
from argosy.kube.objects import Object, annotations_of, labels_of, name_of, namespace_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import ENDPOINT_SLICE, ENDPOINTS, SERVICE

MANAGER = "endpointslicemirroring-controller.k8s.io"
_SKIP = "endpointslice.kubernetes.io/skip-mirror"
_LEADER = "control-plane.alpha.kubernetes.io/leader"
_MOST = 1000


def mirrored(endpoints: Object) -> list[Object]:
    """A slice for each subset and family of addresses. Pure."""
    found: list[Object] = []
    for subset in endpoints.get("subsets") or ():
        by_family: dict[str, list[Object]] = {}
        for name, ready in (("addresses", True), ("notReadyAddresses", False)):
            for address in (subset.get(name) or ())[:_MOST]:
                family = f"IPv{ipaddress.ip_address(address['ip']).version}"
                by_family.setdefault(family, []).append(_endpoint(address, ready=ready))
        ports = [{"name": "", "protocol": "TCP", **port} for port in subset.get("ports") or ()]
        found.extend(
            {"addressType": family, "endpoints": members, "ports": ports}
            for family, members in sorted(by_family.items())
        )
    return found


def _endpoint(address: Object, *, ready: bool) -> Object:
    shown: Object = {"addresses": [address["ip"]], "conditions": {"ready": ready}}
    for name in ("hostname", "nodeName", "targetRef"):
        if address.get(name):
            shown[name] = address[name]
    return shown


class Mirroring:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._endpoints, self._services = place.copies.of(ENDPOINTS), place.copies.of(SERVICE)
        self._slices = place.copies.of(ENDPOINT_SLICE)
        self.loop = Loop("endpointslicemirroring", self._look, reads=(self._slices,))
        self.loop.follow(self._endpoints)
        self.loop.follow(self._services)

    async def _look(self, name: Name) -> None:
        endpoints = self._endpoints.get(name[1], name[0])
        held = [
            one
            for one in self._slices.in_namespace(name[0])
            if labels_of(one).get(SERVICE_NAME) == name[1] and labels_of(one).get(MANAGED_BY) == MANAGER
        ]
        wanted = mirrored(endpoints) if endpoints is not None and self._is_ours(endpoints) else []
        missing = [one for one in wanted if not any(_same(one, other) for other in held)]
        extra = [one for one in held if not any(_same(one, other) for other in wanted)]
        await asyncio.gather(
            *(self._place.create(_slice(endpoints, one)) for one in missing if endpoints is not None),
            *(self._place.delete(one) for one in extra),
        )

    def _is_ours(self, endpoints: Object) -> bool:
        service = self._services.get(name_of(endpoints), namespace_of(endpoints))
        return (
            service is not None
            and not service["spec"].get("selector")
            and labels_of(endpoints).get(_SKIP) != "true"
            and _LEADER not in annotations_of(endpoints)
        )


def _same(one: Object, other: Object) -> bool:
    names = ("addressType", "endpoints", "ports")
    return all(pruned(one.get(name)) == pruned(other.get(name)) for name in names)


def _slice(endpoints: Object, content: Object) -> Object:
    labels = {key: value for key, value in labels_of(endpoints).items() if key != HEADLESS}
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "generateName": f"{name_of(endpoints)[:57]}-",
            "namespace": namespace_of(endpoints),
            "labels": {**labels, SERVICE_NAME: name_of(endpoints), MANAGED_BY: MANAGER},
            "ownerReferences": [owner_reference(endpoints)],
        },
        **content,
    }


def make(place: Workplace) -> Loop:
    return Mirroring(place).loop
