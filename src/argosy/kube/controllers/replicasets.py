"""ReplicaSets and ReplicationControllers: as many pods as they say, and a status that tells how these are doing."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from argosy.kit import clock
from argosy.kube.controllers import conditions
from argosy.kube.controllers.pods import following, making, owning, ranking
from argosy.kube.controllers.pods.state import (
    is_active,
    is_available,
    is_going,
    is_ready,
    is_terminal,
    soonest_available,
)
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, controller_of, labels_of, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import POD, REPLICA_SET, REPLICATION_CONTROLLER
from argosy.kube.types import Kind


class Plan(NamedTuple):
    create: int
    delete: list[Object]


def plan(replicas: int, active: list[Object], related: list[Object], now: datetime) -> Plan:
    """Pure. `related`: the pods of all sets with the same owner, these included."""
    missing = replicas - len(active)
    if missing >= 0:
        return Plan(min(missing, making.BURST), [])
    return Plan(0, ranking.to_delete(active, related, min(-missing, making.BURST), now))


def status(
    owner: Object, active: list[Object], terminating: int | None, failure: str, now: datetime
) -> Object:
    """Pure. `failure`: why pods could not be made or deleted."""
    spec, old = owner["spec"], owner.get("status") or {}
    labels = (spec.get("template") or {}).get("metadata", {}).get("labels") or {}
    ready = [pod for pod in active if is_ready(pod)]
    min_ready = int(spec.get("minReadySeconds") or 0)
    found: Object = {
        "replicas": len(active),
        "fullyLabeledReplicas": sum(1 for pod in active if labels.items() <= labels_of(pod).items()),
        "readyReplicas": len(ready),
        "availableReplicas": sum(1 for pod in ready if is_available(pod, min_ready, now)),
        "observedGeneration": owner["metadata"].get("generation", 0),
        "conditions": _conditions(old.get("conditions") or [], spec, len(active), failure),
    }
    if terminating is not None:
        found["terminatingReplicas"] = terminating
    return found


def _conditions(old: list[Object], spec: Object, active: int, failure: str) -> list[Object]:
    if not failure:
        return conditions.without(old, "ReplicaFailure")
    if conditions.find(old, "ReplicaFailure") is not None:
        return old
    reason = "FailedCreate" if active < int(spec.get("replicas") or 0) else "FailedDelete"
    return [*old, conditions.made("ReplicaFailure", "True", reason, failure)]


class ReplicaSets:
    def __init__(self, place: Workplace, kind: Kind) -> None:
        self._place, self._kind = place, kind
        self._sets, self._pods = place.copies.of(kind), place.copies.of(POD)
        self.loop = Loop(kind.kind.lower(), self._look, reads=(self._sets, self._pods))
        self.loop.follow(self._sets)
        following.follow_children(self._pods, self._sets, self.loop, self._selector)

    def _selector(self, owner: Object) -> Object | None:
        selector: Object | None = owner["spec"].get("selector")
        if self._kind == REPLICATION_CONTROLLER:
            return {"matchLabels": selector} if selector else None
        return selector

    async def _look(self, name: Name) -> float | None:
        owner = self._sets.get(name[1], name[0])
        if owner is None:
            return None
        pods = await owning.claim(self._place, owner, self._selector(owner), self._pods)
        active = [pod for pod in pods if is_active(pod)]
        failed: ApiError | None = None
        if not is_going(owner):
            try:
                await self._manage(owner, active)
            except ApiError as error:
                failed = error
        now = clock.now()
        terminating = None
        if self._kind == REPLICA_SET:
            terminating = sum(1 for pod in pods if is_going(pod) and not is_terminal(pod))
        wanted = status(owner, active, terminating, failed.message if failed else "", now)
        await self._place.write_status(owner, wanted)
        if failed is not None:
            raise failed
        return soonest_available(active, int(owner["spec"].get("minReadySeconds") or 0), now)

    async def _manage(self, owner: Object, active: list[Object]) -> None:
        replicas = int(owner["spec"].get("replicas", 1))
        if replicas == len(active):
            return
        planned = plan(replicas, active, self._related(owner), clock.now())
        if planned.create:
            template = owner["spec"]["template"]
            pods = [making.from_template(template, owner) for _ in range(planned.create)]
            await making.create_pods(self._place, owner, pods)
        elif planned.delete:
            await making.delete_pods(self._place, owner, planned.delete)

    def _related(self, owner: Object) -> list[Object]:
        parent = controller_of(owner)
        sets = [owner] if parent is None else self._sets.owned_by(parent["uid"])
        return [pod for one in sets for pod in self._pods.owned_by(uid_of(one)) if is_active(pod)]


def make_replica_sets(place: Workplace) -> Loop:
    return ReplicaSets(place, REPLICA_SET).loop


def make_replication_controllers(place: Workplace) -> Loop:
    return ReplicaSets(place, REPLICATION_CONTROLLER).loop
