"""From a Service and a port to a pod that is ready, and where the node says that it listens. Pure but for the turns.

Only what the nodes say is connected to, as the API server's own proxy does it; never an address that somebody wrote into a slice.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from argosy.kube.kubelet import Kubelet
from argosy.kube.objects import Object, labels_of
from argosy.kube.reconcile import Copies
from argosy.kube.reconcile.kinds import ENDPOINT_SLICE, POD, SERVICE

_SERVICE = "kubernetes.io/service-name"


class Backend(NamedTuple):
    """`address` is where to connect; None: nobody listens there, because the pod is simulated."""

    pod: str
    shown: str
    address: tuple[str, int] | None


class NoBackend(NamedTuple):
    words: str


class Backends:
    def __init__(self, copies: Copies, kubelet: Kubelet) -> None:
        self._services, self._pods = copies.of(SERVICE), copies.of(POD)
        self._slices, self._kubelet = copies.of(ENDPOINT_SLICE), kubelet
        self._turns: Iterator[int] = itertools.count()

    def find(self, namespace: str, service: str, port: str) -> Backend | NoBackend:
        """The next one whose turn it is."""
        found = self._services.get(service, namespace)
        if found is None:
            return NoBackend(f"there is no Service {namespace}/{service}")
        slices = [
            one for one in self._slices.in_namespace(namespace) if labels_of(one).get(_SERVICE) == service
        ]
        ready = endpoints(found, slices, port)
        if isinstance(ready, NoBackend):
            return ready
        endpoint, number = ready[next(self._turns) % len(ready)]
        return self._reach(namespace, endpoint, number)

    def _reach(self, namespace: str, endpoint: Object, port: int) -> Backend:
        host = str(endpoint["addresses"][0])
        shown = f"{host}:{port}"
        target = endpoint.get("targetRef") or {}
        if target.get("kind") == "Pod":
            name = str(target.get("name", ""))
            pod = self._pods.get(name, namespace)
            return Backend(name, shown, None if pod is None else self._kubelet.address(pod, port))
        return Backend("", shown, (host, port) if self._kubelet.reachable(host, port) else None)


def endpoints(service: Object, slices: Iterable[Object], port: str) -> list[tuple[Object, int]] | NoBackend:
    """The ready endpoints behind a port of a Service, which is named or numbered."""
    metadata, spec = service["metadata"], service["spec"]
    name = f"{metadata['namespace']}/{metadata['name']}"
    if spec.get("type") == "ExternalName":
        return NoBackend(f"the Service {name} is a name elsewhere (ExternalName), which is not served")
    listed = spec.get("ports") or []
    chosen = next((one for one in listed if port in {one.get("name"), str(one["port"])}), None)
    if chosen is None:
        return NoBackend(f"the Service {name} has no port {port}")
    ready = [
        (endpoint, int(offered["port"]))
        for piece in slices
        for offered in piece.get("ports") or ()
        if (offered.get("name") or "") == (chosen.get("name") or "") and offered.get("port")
        for endpoint in piece.get("endpoints") or ()
        if (endpoint.get("conditions") or {}).get("ready", True) and endpoint.get("addresses")
    ]
    return ready or NoBackend(f"the Service {name} has no ready endpoint")
