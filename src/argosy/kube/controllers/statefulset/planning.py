"""What happens next with the pods of a StatefulSet, and what its status says. Pure.

In order: one pod at a time, each waits for the one before; going down, for the one above. In parallel: all at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from argosy.kube.controllers.history import hash_of
from argosy.kube.controllers.pods.state import is_available, is_going, is_ready, is_terminal, phase
from argosy.kube.controllers.shares import share
from argosy.kube.controllers.statefulset.identity import ordinal_of, start
from argosy.kube.objects import Object


@dataclass(slots=True)
class Plan:
    create: list[tuple[int, str]] = field(default_factory=list)
    """Ordinal and revision."""
    delete: list[Object] = field(default_factory=list)
    replace_failed: list[Object] = field(default_factory=list)
    condemned: list[Object] = field(default_factory=list)
    """Pods beyond the wanted ones: their volumes may go, too."""


@dataclass(frozen=True, slots=True)
class Situation:
    owner: Object
    pods: list[Object]
    current: str
    update: str
    """Names of revisions."""
    now: datetime

    @property
    def in_order(self) -> bool:
        return str(self.owner["spec"].get("podManagementPolicy", "OrderedReady")) == "OrderedReady"

    @property
    def replicas(self) -> int:
        return int(self.owner["spec"].get("replicas", 1))

    @property
    def min_ready(self) -> int:
        return int(self.owner["spec"].get("minReadySeconds") or 0)

    def fine(self, pod: Object) -> bool:
        running = phase(pod) == "Running" and not is_going(pod)
        return running and is_ready(pod) and is_available(pod, self.min_ready, self.now)


def plan(seen: Situation) -> Plan:
    found = Plan()
    if is_going(seen.owner):
        return found
    first = start(seen.owner)
    wanted = range(first, first + seen.replicas)
    by_ordinal = {ordinal_of(seen.owner, pod): pod for pod in seen.pods}
    found.condemned = [
        by_ordinal[ordinal]
        for ordinal in sorted(
            (one for one in by_ordinal if one is not None and one not in wanted), reverse=True
        )
    ]
    if not _fill(seen, wanted, by_ordinal, found):
        return found
    if not _shrink(seen, by_ordinal, wanted, found):
        return found
    _update(seen, wanted, by_ordinal, found)
    return found


def _fill(seen: Situation, wanted: range, by_ordinal: dict[int | None, Object], found: Plan) -> bool:
    """False: the next step has to wait for these."""
    for ordinal in wanted:
        pod = by_ordinal.get(ordinal)
        if pod is None:
            found.create.append((ordinal, _revision_for(seen, ordinal)))
        elif is_terminal(pod):
            if not is_going(pod):
                found.replace_failed.append(pod)
        elif not seen.in_order or seen.fine(pod):
            continue
        if seen.in_order:
            return False
    return not found.create and not found.replace_failed


def _revision_for(seen: Situation, ordinal: int) -> str:
    """Below the partition, and where the old one is still wanted, a pod comes back as it was."""
    strategy = seen.owner["spec"].get("updateStrategy") or {}
    rolling = strategy.get("rollingUpdate")
    first = start(seen.owner)
    if rolling is None and strategy.get("type", "RollingUpdate") == "RollingUpdate":
        old = int((seen.owner.get("status") or {}).get("currentReplicas") or 0)
        return seen.current if ordinal < first + old else seen.update
    if rolling is not None and ordinal < first + int(rolling.get("partition") or 0):
        return seen.current
    return seen.update


def _shrink(seen: Situation, by_ordinal: dict[int | None, Object], wanted: range, found: Plan) -> bool:
    kept = [by_ordinal[one] for one in wanted if one in by_ordinal]
    unwell = next((pod for pod in [*kept, *reversed(found.condemned)] if not seen.fine(pod)), None)
    for pod in found.condemned:
        if is_going(pod):
            if seen.in_order:
                return False
            continue
        if seen.in_order and not seen.fine(pod) and pod is not unwell:
            return False
        found.delete.append(pod)
        if seen.in_order:
            return False
    return not found.delete


def _update(seen: Situation, wanted: range, by_ordinal: dict[int | None, Object], found: Plan) -> None:
    strategy = seen.owner["spec"].get("updateStrategy") or {}
    if strategy.get("type", "RollingUpdate") == "OnDelete":
        return
    rolling = strategy.get("rollingUpdate") or {}
    at_once = max(share(rolling.get("maxUnavailable", 1), seen.replicas, up=True), 1)
    unwell = sum(1 for one in wanted if one not in by_ordinal or not seen.fine(by_ordinal[one]))
    lowest = wanted.start + int(rolling.get("partition") or 0)
    for ordinal in reversed(range(max(lowest, wanted.start), wanted.stop)):
        pod = by_ordinal.get(ordinal)
        if pod is None or is_going(pod):
            continue
        if hash_of(pod) == seen.update:
            continue
        if not seen.fine(pod):
            found.delete.append(pod)
            return
        if unwell >= at_once:
            return
        found.delete.append(pod)
        unwell += 1


def status(seen: Situation) -> Object:
    before = seen.owner.get("status") or {}
    there = [pod for pod in seen.pods if phase(pod)]
    alive = [pod for pod in there if not is_going(pod)]
    ready = [pod for pod in there if phase(pod) == "Running" and is_ready(pod)]
    current = sum(1 for pod in alive if hash_of(pod) == seen.current)
    updated = sum(1 for pod in alive if hash_of(pod) == seen.update)
    found: Object = {
        "observedGeneration": seen.owner["metadata"].get("generation", 0),
        "replicas": len(there),
        "readyReplicas": len(ready),
        "availableReplicas": sum(1 for pod in ready if is_available(pod, seen.min_ready, seen.now)),
        "currentReplicas": current,
        "updatedReplicas": updated,
        "currentRevision": seen.current,
        "updateRevision": seen.update,
        "collisionCount": int(before.get("collisionCount") or 0),
    }
    if before.get("conditions"):
        found["conditions"] = before["conditions"]
    return _completed(seen, found)


def _completed(seen: Situation, found: Object) -> Object:
    """When the last pod is on the new revision, that is the current one."""
    strategy = (seen.owner["spec"].get("updateStrategy") or {}).get("type", "RollingUpdate")
    done = all(found[name] == seen.replicas for name in ("updatedReplicas", "readyReplicas", "replicas"))
    if strategy == "RollingUpdate" and done:
        return {**found, "currentReplicas": found["updatedReplicas"], "currentRevision": seen.update}
    return found
