"""All embedded clusters of the installation. A broken one is told of and does not keep the others from running."""

from __future__ import annotations

import asyncio

import msgspec

from argosy.host.clusters.home import Home, home, homes, new_home
from argosy.host.clusters.reaching import ClusterState, Reached
from argosy.host.clusters.running import Running
from argosy.host.paths import DataDir
from argosy.kit.errors import ArgosyError, Conflict
from argosy.kit.log import get_logger
from argosy.kube.controllers.ingress import Claims, Door, Front
from argosy.kube.server.store import Snapshot
from argosy.kube.server.store.snapshot import of_file

log = get_logger(__name__)
FIRST = "local"


class Fleet:
    def __init__(self, data: DataDir, front: Front) -> None:
        self._data, self._front = data, front
        self.claims = Claims()
        self.doors: dict[str, Door] = {}
        self._running: dict[str, Running] = {}
        self._failed: dict[str, str] = {}
        self._changing = asyncio.Lock()

    async def start(self) -> None:
        if not homes(self._data):
            await self.create(FIRST)
            return
        for one in homes(self._data):
            try:
                await self._start(one)
            except ArgosyError as error:
                log.error("cluster.start_failed", cluster=one.name, error=error.message)
                self._failed[one.name] = error.message

    async def create(self, name: str) -> ClusterState:
        async with self._changing:
            made = new_home(self._data, name)
            await self._start(made)
            return self._state(made)

    async def delete(self, name: str) -> None:
        async with self._changing:
            if name == FIRST:
                raise Conflict(
                    f"the cluster {FIRST!r} belongs to the platform",
                    code="kube.cluster_kept",
                    cure="delete what is in it, or start afresh with: argosy reset",
                )
            found = home(self._data, name)
            if running := self._running.pop(name, None):
                del self.doors[name]
                await running.stop()
            self._failed.pop(name, None)
            await asyncio.to_thread(found.remove)

    async def snapshot(self, name: str) -> Snapshot:
        """Of one that could not be started, from its file: this process alone may open it."""
        async with self._changing:
            found = home(self._data, name)
            running = self._running.get(name)
            return running.snapshot() if running else await of_file(found.objects)

    def states(self) -> list[ClusterState]:
        return [self._state(one) for one in homes(self._data)]

    async def let_take(self, name: str, hosts: list[str] | None, own_paths: bool) -> None:
        """What the Ingresses of a cluster may take of the gateway; kept over restarts."""
        async with self._changing:
            found = home(self._data, name)
            kept = msgspec.structs.replace(found.settings(), hosts=hosts, own_paths=own_paths)
            await asyncio.to_thread(found.keep, kept)
            if running := self._running.get(name):
                running.let_take()

    def reached(self) -> list[Reached]:
        found = []
        for owner, wish in sorted(self.claims.granted()):
            url = self.doors[owner.cluster].url((owner.namespace, owner.name), wish)
            found.append(Reached(owner.cluster, owner.namespace, owner.name, url, wish.service, wish.port))
        return list(dict.fromkeys(found))

    async def stop(self) -> None:
        await asyncio.gather(*(one.stop() for one in self._running.values()))

    async def _start(self, one: Home) -> None:
        running = Running(one, self._front, self.claims)
        await running.start()
        self._running[one.name], self.doors[one.name] = running, running.to_gateway

    def _state(self, one: Home) -> ClusterState:
        running = self._running.get(one.name)
        return ClusterState(
            name=one.name,
            url=running.url if running else "",
            kubeconfig=str(one.kubeconfig),
            created=one.settings().created,
            error=self._failed.get(one.name, ""),
        )
