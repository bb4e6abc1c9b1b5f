"""One cluster's API server, put together: what it stores, what it serves, who may do what.

`host` opens one per cluster and hands requests to `api.pipeline`; controllers and nodes reach it like anybody else.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from argosy.kube.kubelet import Kubelet
from argosy.kube.server.access import Access, Authority
from argosy.kube.server.crds import Crds
from argosy.kube.server.registry import Registry
from argosy.kube.server.store import Store
from argosy.kube.server.view import View
from argosy.kube.server.writer import Writer


@dataclass(slots=True)
class Cluster:
    name: str
    store: Store
    registry: Registry
    authority: Authority
    access: Access
    view: View
    kubelet: Kubelet
    writer: Writer = field(init=False)
    crds: Crds = field(init=False)

    def __post_init__(self) -> None:
        self.writer = Writer(self.store, self.view)
        self.crds = Crds(self.store, self.registry, self.writer)

    async def live(self) -> None:
        """What the server does by itself, until cancelled: it serves what is defined while it runs."""
        await self.crds.follow()
