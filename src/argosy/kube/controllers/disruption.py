"""The status of PodDisruptionBudgets: how many of their pods may go now. Evictions spend it; deployments ignore it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

from argosy.kit import clock
from argosy.kube.controllers import conditions
from argosy.kube.controllers.pods.state import is_going, is_ready, is_terminal
from argosy.kube.controllers.shares import share
from argosy.kube.objects import Object, controller_of, labels_of, name_of, namespace_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import (
    DEPLOYMENT,
    DISRUPTION_BUDGET,
    POD,
    REPLICA_SET,
    REPLICATION_CONTROLLER,
    STATEFUL_SET,
)
from argosy.kube.reconcile.selecting import selects
from argosy.kube.reconcile.times import parse

_PATIENCE = timedelta(minutes=2)
"""How long an eviction that was granted counts before its pod begins to go."""


def status(budget: Object, pods: list[Object], expected: int, now: datetime) -> Object:
    """Pure. `pods`: those that it selects; `expected`: how many there should be, all their owners together."""
    spec, before = budget["spec"], budget.get("status") or {}
    held = _still_granted(before.get("disruptedPods") or {}, pods, now)
    healthy = sum(1 for pod in pods if is_ready(pod) and not is_going(pod) and name_of(pod) not in held)
    desired = _desired(spec, expected)
    allowed = max(healthy - desired, 0) if expected > 0 else 0
    found: Object = {
        "observedGeneration": budget["metadata"].get("generation", 0),
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "expectedPods": expected,
        "disruptionsAllowed": allowed,
        "conditions": conditions.with_condition(before.get("conditions") or [], _allowed(budget, allowed)),
    }
    if held:
        found["disruptedPods"] = held
    return found


def _desired(spec: Object, expected: int) -> int:
    if spec.get("maxUnavailable") is not None:
        return max(expected - share(spec["maxUnavailable"], expected, up=True), 0)
    return share(spec.get("minAvailable", 1), expected, up=True)


def _allowed(budget: Object, allowed: int) -> Object:
    reason = "SufficientPods" if allowed else "InsufficientPods"
    new = conditions.made("DisruptionAllowed", "True" if allowed else "False", reason, "")
    new["message"] = ""
    new["observedGeneration"] = budget["metadata"].get("generation", 0)
    return new


def _still_granted(granted: Object, pods: list[Object], now: datetime) -> Object:
    there = {name_of(pod) for pod in pods if not is_going(pod)}
    return {
        name: moment
        for name, moment in granted.items()
        if name in there and (since := parse(moment)) is not None and since + _PATIENCE > now
    }


class Budgets:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._budgets, self._pods = place.copies.of(DISRUPTION_BUDGET), place.copies.of(POD)
        kinds = (REPLICA_SET, REPLICATION_CONTROLLER, STATEFUL_SET, DEPLOYMENT)
        self._owners = {kind.kind: place.copies.of(kind) for kind in kinds}
        self.loop = Loop("disruption", self._look, reads=(self._budgets,), longest_rest=1.0)
        self.loop.follow(self._budgets)
        self._pods.on_change(self._pod_changed)
        for copy in self._owners.values():
            copy.on_change(self._owner_changed)

    def _pod_changed(self, before: Object | None, after: Object | None) -> None:
        for budget in self._budgets.in_namespace(namespace_of(after or before or {})):
            wanted = budget["spec"].get("selector")
            if any(selects(wanted, labels_of(one)) for one in (before, after) if one is not None):
                self.loop.add_object(budget)

    def _owner_changed(self, before: Object | None, after: Object | None) -> None:
        """Scaled: more or fewer pods are expected."""
        if before is None or after is None or before["spec"].get("replicas") == after["spec"].get("replicas"):
            return
        for budget in self._budgets.in_namespace(namespace_of(after)):
            self.loop.add_object(budget)

    async def _look(self, name: Name) -> float | None:
        budget = self._budgets.get(name[1], name[0])
        if budget is None:
            return None
        wanted = budget["spec"].get("selector")
        pods = [
            pod
            for pod in self._pods.in_namespace(name[0])
            if selects(wanted, labels_of(pod)) and not is_terminal(pod)
        ]
        if not pods:
            self._place.events.normal(budget, "NoPods", "No matching pods found")
        found = status(budget, pods, self._expected(budget, pods), clock.now())
        await self._place.write_status(budget, found)
        return _PATIENCE.total_seconds() if found.get("disruptedPods") else None

    def _expected(self, budget: Object, pods: list[Object]) -> int:
        """An absolute minimum needs no owners: the pods themselves are counted."""
        spec = budget["spec"]
        if isinstance(spec.get("minAvailable"), int) and spec.get("maxUnavailable") is None:
            return len(pods)
        return expected(pods, self._owner)

    def _owner(self, child: Object) -> Object | None:
        reference = controller_of(child)
        copy = self._owners.get(reference["kind"]) if reference else None
        return copy.get(reference["name"], namespace_of(child)) if copy and reference else None


def expected(pods: list[Object], owner_of: Callable[[Object], Object | None]) -> int:
    """The replicas of all owners of the pods. Pure."""
    sizes: Counter[str] = Counter()
    for pod in pods:
        owner = owner_of(pod)
        above = owner_of(owner) if owner is not None else None
        top = above or owner
        if top is not None:
            sizes[f"{top['kind']}/{name_of(top)}"] = int(top["spec"].get("replicas", 1))
    return sum(sizes.values())


def make(place: Workplace) -> Loop:
    return Budgets(place).loop
