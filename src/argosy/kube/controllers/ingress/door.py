"""Where a cluster and the gateway in front of it meet: where the gateway is, what the cluster may take of it, and which pod
answers.

Whoever runs the cluster makes one and hands it to the controllers; what the gateway is told comes from the `Claims` that the doors
of all clusters share.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from argosy.domain.ingress import may_take
from argosy.kube.controllers.ingress.backends import Backend, Backends, NoBackend
from argosy.kube.controllers.ingress.claims import Claims, Owner
from argosy.kube.controllers.ingress.wishes import Refusal, Wish
from argosy.kube.kubelet import Kubelet
from argosy.kube.objects import Object
from argosy.kube.reconcile import Name


class Taking(NamedTuple):
    """What the Ingresses of a cluster may take: host names, and paths of their own under the gateway's name."""

    hosts: tuple[str, ...] = ()
    own_paths: bool = True


class Front(NamedTuple):
    """The gateway, as people reach it. `names` are its own: no Ingress gets them. `hosts` are what a cluster may take where its
    operator has said nothing."""

    url: str
    names: frozenset[str]
    hosts: tuple[str, ...] = ()

    @property
    def point(self) -> Object:
        """As the status of an Ingress names it."""
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return {_kind_of(host): host, "ports": [{"port": port, "protocol": "TCP"}]}


class Door:
    def __init__(self, cluster: str, front: Front, taking: Taking, claims: Claims, kubelet: Kubelet) -> None:
        self.cluster, self.front, self.taking = cluster, front, taking
        self.opened = asyncio.Event()
        """What the cluster holds has been claimed."""
        self.claims, self.kubelet = claims, kubelet
        self._backends: Backends | None = None
        self._owners: dict[Name, Owner] = {}
        self._on_taking: list[Callable[[], None]] = []
        self._on_verdict: list[Callable[[Name], None]] = []
        self._deaf = claims.on_verdict(self._verdict)

    def take(self, taking: Taking) -> None:
        self.taking = taking
        for handler in self._on_taking:
            handler()

    def on_taking(self, handler: Callable[[], None]) -> None:
        """Told when the operator has changed what may be taken."""
        self._on_taking.append(handler)

    def on_verdict(self, handler: Callable[[Name], None]) -> None:
        """Told of an Ingress of this cluster that gained or lost something by what another one did."""
        self._on_verdict.append(handler)

    def put(self, name: Name, created: str, wanted: list[Wish]) -> None:
        """Claims what of it may be taken."""
        owner = Owner(created, self.cluster, *name)
        before = self._owners.get(name)
        if before is not None and before != owner:
            self.claims.put(before, [])
        self._owners[name] = owner
        self.claims.put(owner, [wish for wish in wanted if self._why_not(wish.host) is None])

    def gone(self, name: Name) -> None:
        owner = self._owners.pop(name, None)
        if owner is not None:
            self.claims.put(owner, [])

    def close(self) -> None:
        self._deaf()
        self.opened.set()  # nobody waits for what will not come
        for name in list(self._owners):
            self.gone(name)

    def refusals(self, name: Name, wanted: list[Wish]) -> Iterator[Refusal]:
        for host in dict.fromkeys(wish.host for wish in wanted):
            if (why := self._why_not(host)) is not None:
                yield why
        owner = self._owners.get(name)
        for wish, holder in self.claims.lost(owner) if owner is not None else ():
            yield Refusal("HostTaken", f"{wish.shown} is served for the older Ingress {holder}")

    def urls(self, name: Name, wanted: list[Wish]) -> list[str]:
        """What people can open."""
        owner = self._owners.get(name)
        lost = {wish for wish, _ in self.claims.lost(owner)} if owner is not None else set()
        given = [wish for wish in wanted if wish not in lost and self._why_not(wish.host) is None]
        return list(dict.fromkeys(self.url(name, wish) for wish in given))

    def url(self, name: Name, wish: Wish) -> str:
        parts = urlsplit(self.front.url)
        if not wish.host:
            return f"{self.front.url}/ingress/{self.cluster}/{name[0]}/{name[1]}{wish.path}"
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{wish.host}{port}{wish.path}"

    def serve_from(self, backends: Backends) -> None:
        self._backends = backends

    def backend(self, namespace: str, service: str, port: str) -> Backend | NoBackend:
        if self._backends is None:
            return NoBackend(f"the cluster {self.cluster} is still starting")
        return self._backends.find(namespace, service, port)

    def _verdict(self, owner: Owner) -> None:
        if owner.cluster == self.cluster:
            for handler in self._on_verdict:
                handler((owner.namespace, owner.name))

    def _why_not(self, host: str) -> Refusal | None:
        if not host:
            told = f"rules without a host are switched off for the cluster {self.cluster}"
            return None if self.taking.own_paths else Refusal("PathNotServed", told)
        if host in self.front.names:
            return Refusal("HostNotServed", f"{host} is the platform's own name")
        if may_take(host, self.taking.hosts):
            return None
        allowed = ", ".join(self.taking.hosts) or "no host names"
        told = f"{host} is not served: Ingresses of the cluster {self.cluster} may take {allowed}"
        return Refusal("HostNotServed", told)


def _kind_of(host: str) -> str:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return "hostname"
    return "ip"
