"""Looks at a DaemonSet whenever it, a node or one of its pods changes."""

from __future__ import annotations

from argosy.kit import clock
from argosy.kube.controllers import history
from argosy.kube.controllers.daemonset import planning
from argosy.kube.controllers.pods import following, making, owning
from argosy.kube.controllers.pods.state import is_going, soonest_available
from argosy.kube.objects import Object, labels_of, name_of, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import CONTROLLER_REVISION, DAEMON_SET, NODE, POD


class DaemonSets:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._sets, self._pods = place.copies.of(DAEMON_SET), place.copies.of(POD)
        self._nodes, self._revisions = place.copies.of(NODE), place.copies.of(CONTROLLER_REVISION)
        self.loop = Loop("daemonset", self._look, reads=(self._sets, self._pods, self._revisions))
        self.loop.follow(self._sets)
        following.follow_children(self._pods, self._sets, self.loop)
        self._nodes.on_change(self._node_changed)

    def _node_changed(self, before: Object | None, after: Object | None) -> None:
        if before is not None and after is not None and _where(before) == _where(after):
            return
        for owner in self._sets:
            self.loop.add_object(owner)

    async def _look(self, name: Name) -> float | None:
        owner = self._sets.get(name[1], name[0])
        if owner is None:
            return None
        if is_going(owner):
            return None
        pods = await owning.claim(self._place, owner, owner["spec"].get("selector"), self._pods)
        revisions = self._revisions.owned_by(uid_of(owner))
        try:
            update = await history.settle(self._place, owner, revisions)
        except history.Collision:
            status = owner.get("status") or {}
            count = int(status.get("collisionCount") or 0) + 1
            await self._place.write_status(owner, {**status, "collisionCount": count})
            return None
        mark = history.mark_of(owner, update)
        seen = planning.Situation(owner, list(self._nodes), planning.by_node(pods), mark, clock.now())
        try:
            await self._do(seen)
        finally:
            await self._place.write_status(owner, planning.status(seen))
        live = {f"{name_of(owner)}-{history.hash_of(pod)}" for pod in pods} | {name_of(update)}
        for one in history.superfluous(owner, revisions, live):
            await self._place.delete(one)
        return soonest_available(pods, seen.min_ready, seen.now)

    async def _do(self, seen: planning.Situation) -> None:
        planned = planning.plan(seen)
        for pod in planned.failed:
            words = (
                f"Found failed daemon pod {pod['metadata']['namespace']}/{name_of(pod)} "
                f"on node {planning.node_of(pod)}, will try to kill it"
            )
            self._place.events.warning(seen.owner, "FailedDaemonPod", words)
        await making.delete_pods(self._place, seen.owner, [*planned.delete, *planned.failed])
        made = [planning.pod_for(seen.owner, node, seen.mark) for node in planned.create[: making.BURST]]
        await making.create_pods(self._place, seen.owner, made)


def _where(node: Object) -> object:
    """What of a node decides which pods belong there."""
    return node["spec"], labels_of(node)


def make(place: Workplace) -> Loop:
    return DaemonSets(place).loop
