"""Gives each Service of type LoadBalancer an address, as a cloud would: one of the nodes' network, its own for as long as it lives.

Nothing listens there, and its event says so; who wants to open something makes an Ingress. Without an address, tools that wait for
one would wait for ever.
"""

from __future__ import annotations

import ipaddress

from argosy.kube.objects import Object, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import SERVICE

_NETWORK = ipaddress.ip_network("172.18.128.0/17")
_WORDS = (
    "Ensured load balancer: {} is simulated and nothing listens there; an Ingress is served by the gateway"
)


class LoadBalancers:
    def __init__(self, place: Workplace) -> None:
        self._place, self._services = place, place.copies.of(SERVICE)
        self._given: dict[str, str] = {}
        self.loop = Loop("service", self._look, reads=(self._services,))
        self._services.on_change(self._changed)

    def _changed(self, before: Object | None, after: Object | None) -> None:
        service = after or before or {}
        if after is None or not _is_ours(after):
            self._given.pop(uid_of(service), None)
        else:
            if has := _address(after):
                self._given[uid_of(after)] = has
            self.loop.add_object(service)

    async def _look(self, name: Name) -> None:
        service = self._services.get(name[1], name[0])
        if service is None or not _is_ours(service) or _address(service):
            return
        given = self._given.setdefault(uid_of(service), self._next(service))
        self._place.events.normal(service, "EnsuringLoadBalancer", "Ensuring load balancer")
        point = {"ip": given, "ipMode": "VIP"}
        status = {**(service.get("status") or {}), "loadBalancer": {"ingress": [point]}}
        await self._place.write_status(service, status)
        self._place.events.normal(service, "EnsuredLoadBalancer", _WORDS.format(given))

    def _next(self, service: Object) -> str:
        if wanted := service["spec"].get("loadBalancerIP"):
            return str(wanted)
        taken = set(self._given.values())
        return next(str(one) for one in _NETWORK.hosts() if str(one) not in taken)


def _is_ours(service: Object) -> bool:
    spec = service["spec"]
    wanted = spec.get("type") == "LoadBalancer" and not spec.get("loadBalancerClass")
    return wanted and "deletionTimestamp" not in service["metadata"]


def _address(service: Object) -> str:
    points = ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    return str(points[0].get("ip") or points[0].get("hostname") or "") if points else ""


def make(place: Workplace) -> Loop:
    return LoadBalancers(place).loop
