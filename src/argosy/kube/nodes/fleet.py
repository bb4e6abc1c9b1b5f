"""All simulated nodes of one cluster, with the scheduler that fills them. `host` runs it, the API server asks it for logs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Container

from argosy.kube.client import Client
from argosy.kube.kubelet import LogOptions
from argosy.kube.nodes.node import Node
from argosy.kube.nodes.registration import keep_known
from argosy.kube.nodes.scheduling import Scheduler
from argosy.kube.nodes.simulation import SimulatedNode
from argosy.kube.nodes.simulation.addresses import Addresses
from argosy.kube.nodes.simulation.logs import lines
from argosy.kube.objects import Object
from argosy.kube.reconcile import Copies, Copy, Events, Loop, Name, Workplace
from argosy.kube.reconcile.kinds import POD


class SimulatedNodes:
    """`published`: addresses outside the pods that the API server's proxy may connect to."""

    def __init__(self, *, count: int = 3, published: Container[tuple[str, int]] = ()) -> None:
        self._count, self._published = count, published
        self._nodes: dict[str, Node] = {}

    async def run(self, client: Client) -> None:
        copies = Copies(client)
        events = Events(client, "kubelet")
        scheduled = Events(client, "default-scheduler")
        place = Workplace(client, copies, events)
        addresses = Addresses()
        made = [SimulatedNode(number, place, addresses) for number in range(1, self._count + 1)]
        self._nodes = {node.name: node for node in made}
        kubelets = _Kubelets(copies.of(POD), self._nodes)
        scheduler = Scheduler(Workplace(client, copies, scheduled))
        async with asyncio.TaskGroup() as group:
            for work in (copies.run(), events.run(), scheduled.run()):
                group.create_task(work)
            for node in self._nodes.values():
                group.create_task(keep_known(place, node), name=node.name)
            await copies.synced()
            group.create_task(scheduler.loop.run())
            group.create_task(kubelets.loop.run())

    def logs(self, pod: Object, asked: LogOptions) -> AsyncIterator[bytes]:
        node = self._node_of(pod)
        if node is not None:
            return node.logs(pod, asked)
        ended = asyncio.Event()
        ended.set()
        return lines(pod, asked, ended)

    def address(self, pod: Object, port: int) -> tuple[str, int] | None:
        node = self._node_of(pod)
        return None if node is None else node.address(pod, port)

    def reachable(self, host: str, port: int) -> bool:
        return (host, port) in self._published

    def _node_of(self, pod: Object) -> Node | None:
        return self._nodes.get(pod["spec"].get("nodeName", ""))


class _Kubelets:
    """Hands each pod to its node, at every change and when the node wanted to see it again."""

    def __init__(self, pods: Copy, nodes: dict[str, Node]) -> None:
        self._pods, self._nodes = pods, nodes
        self.loop = Loop("kubelet", self._look, workers=20)
        pods.on_change(self._changed)

    def _changed(self, before: Object | None, after: Object | None) -> None:
        pod = after or before
        node = self._nodes.get(pod["spec"].get("nodeName", "")) if pod is not None else None
        if pod is None or node is None:
            return
        if after is None:
            node.forget(pod)
        else:
            self.loop.add_object(pod)

    async def _look(self, name: Name) -> float | None:
        pod = self._pods.get(name[1], name[0])
        node = self._nodes.get(pod["spec"].get("nodeName", "")) if pod is not None else None
        return None if pod is None or node is None else await node.look(pod)
