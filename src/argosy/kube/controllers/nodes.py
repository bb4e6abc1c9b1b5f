"""Node life cycle, the light part of it: a node that says it is ready may take pods, one that does not may not, and the pods of one
that is gone go too."""

from __future__ import annotations

import asyncio

from argosy.kube.controllers.conditions import is_true
from argosy.kube.objects import Object
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import NODE, POD

_NOT_READY = "node.kubernetes.io/not-ready"
_UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


def taints(node: Object) -> list[Object]:
    """Those that it should have. Pure."""
    have = node["spec"].get("taints") or []
    wanted = {_NOT_READY: not is_true(node, "Ready"), _UNSCHEDULABLE: bool(node["spec"].get("unschedulable"))}
    kept = [one for one in have if one["key"] not in wanted or wanted[one["key"]]]
    known = {one["key"] for one in kept}
    return kept + [
        {"key": key, "effect": "NoSchedule"} for key, on in wanted.items() if on and key not in known
    ]


class Nodes:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._nodes, self._pods = place.copies.of(NODE), place.copies.of(POD)
        self.loop = Loop("node", self._look, reads=(self._nodes,))
        self.loop.follow(self._nodes)

    async def _look(self, name: Name) -> None:
        node = self._nodes.get(name[1])
        if node is None:
            orphans = [pod for pod in self._pods if pod["spec"].get("nodeName") == name[1]]
            await asyncio.gather(*(self._place.delete(pod, grace=0) for pod in orphans))
            return
        wanted = taints(node)
        if wanted != (node["spec"].get("taints") or []):
            await self._place.replace({**node, "spec": {**node["spec"], "taints": wanted}})


def make(place: Workplace) -> Loop:
    return Nodes(place).loop
