"""Where a Job stands, out of its pods and what was counted before; and what comes next. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from argosy.kube.controllers.conditions import condition
from argosy.kube.controllers.job import failures, indexes
from argosy.kube.controllers.job.pods import (
    ended_at,
    failed,
    index_of,
    is_indexed,
    is_tracked,
    replaces_only_failed,
    succeeded,
)
from argosy.kube.controllers.pods.ranking import to_delete
from argosy.kube.controllers.pods.state import is_active, is_going, is_terminal, phase, restarts
from argosy.kube.objects import Object, uid_of
from argosy.kube.reconcile.times import seconds_until

_FIRST_PAUSE, _LONGEST_PAUSE = 10.0, 600.0
_NO_LIMIT = 2**31 - 1


@dataclass(slots=True)
class Plan:
    create: list[int | None] = field(default_factory=list)
    """Indexes, or None for each pod of a Job that has none."""
    delete: list[Object] = field(default_factory=list)
    again: float | None = None
    """When time alone changes something."""


@dataclass(frozen=True)
class Standing:
    job: Object
    pods: list[Object]
    now: datetime

    @property
    def status(self) -> Object:
        return self.job.get("status") or {}

    @cached_property
    def uncounted(self) -> tuple[set[str], set[str]]:
        held = self.status.get("uncountedTerminatedPods") or {}
        return set(held.get("succeeded") or ()), set(held.get("failed") or ())

    @cached_property
    def newly_succeeded(self) -> list[Object]:
        return [pod for pod in self._open if succeeded(pod)]

    @cached_property
    def newly_failed(self) -> list[Object]:
        return [pod for pod in self._open if failed(self.job, pod)]

    @cached_property
    def _open(self) -> list[Object]:
        known = self.uncounted[0] | self.uncounted[1]
        return [pod for pod in self.pods if is_tracked(pod) and uid_of(pod) not in known]

    @cached_property
    def counted_failures(self) -> list[Object]:
        return [pod for pod in self.newly_failed if failures.judge(self.job, pod).action != "Ignore"]

    @cached_property
    def active(self) -> list[Object]:
        return [pod for pod in self.pods if is_active(pod)]

    @cached_property
    def terminating(self) -> list[Object]:
        return [pod for pod in self.pods if is_going(pod) and not is_terminal(pod)]

    @cached_property
    def completed(self) -> set[int]:
        """Indexes that are done."""
        before = indexes.read(str(self.status.get("completedIndexes") or ""), self.completions or 0)
        after = {index_of(pod) for pod in self.pods if succeeded(pod)}
        return before | {one for one in after if one is not None and one < (self.completions or 0)}

    @property
    def completions(self) -> int | None:
        found = self.job["spec"].get("completions")
        return None if found is None else int(found)

    @property
    def parallelism(self) -> int:
        return int(self.job["spec"].get("parallelism", 1))

    @property
    def suspended(self) -> bool:
        return bool(self.job["spec"].get("suspend"))

    @cached_property
    def succeeded(self) -> int:
        if is_indexed(self.job):
            return len(self.completed)
        before = int(self.status.get("succeeded") or 0) + len(self.uncounted[0])
        return before + len(self.newly_succeeded)

    @cached_property
    def failed(self) -> int:
        before = int(self.status.get("failed") or 0) + len(self.uncounted[1])
        return before + len(self.counted_failures)

    @cached_property
    def failure(self) -> tuple[str, str] | None:
        """Why the Job has failed: reason and message."""
        known = condition(self.job, "FailureTarget")
        if known is not None and known["status"] == "True":
            return str(known.get("reason", "")), str(known.get("message", ""))
        for pod in self.newly_failed:
            verdict = failures.judge(self.job, pod)
            if verdict.action == "FailJob":
                return "PodFailurePolicy", verdict.message
        if self._too_many_failures():
            return "BackoffLimitExceeded", "Job has reached the specified backoff limit"
        if self.deadline_in() == 0.0:
            return "DeadlineExceeded", "Job was active longer than specified deadline"
        return None

    @cached_property
    def success(self) -> bool:
        if self.completions is None:
            return self.succeeded > 0 and not self.active
        return self.succeeded >= self.completions

    def deadline_in(self) -> float | None:
        deadline, start = self.job["spec"].get("activeDeadlineSeconds"), self.status.get("startTime")
        if deadline is None or not start or self.suspended:
            return None
        return seconds_until(start, float(deadline), self.now)

    def _too_many_failures(self) -> bool:
        limit = int(self.job["spec"].get("backoffLimit", 6))
        if limit == _NO_LIMIT:
            return False
        if self.failed > limit:
            return True
        if self.job["spec"]["template"]["spec"].get("restartPolicy") != "OnFailure":
            return False
        again = sum(restarts(pod) for pod in self.active if phase(pod) in {"Running", "Pending"})
        return again > 0 if limit == 0 else again >= limit


def plan(seen: Standing) -> Plan:
    if is_going(seen.job):
        return Plan()
    if seen.failure is not None or seen.success or seen.suspended:
        return Plan(delete=list(seen.active))
    found = Plan(again=seen.deadline_in())
    wanted = _wanted(seen)
    surplus = len(seen.active) - wanted
    if surplus > 0:
        found.delete = to_delete(seen.active, [], surplus, seen.now)
        return found
    busy = len(seen.active) + (len(seen.terminating) if replaces_only_failed(seen.job) else 0)
    missing = min(wanted, seen.parallelism) - busy
    if missing <= 0:
        return found
    pause = _pause(seen)
    if pause > 0:
        found.again = pause if found.again is None else min(found.again, pause)
    else:
        found.create = _numbers(seen, missing)
    return found


def _wanted(seen: Standing) -> int:
    if seen.completions is None:
        return len(seen.active) if seen.succeeded else seen.parallelism
    return max(min(seen.completions - seen.succeeded, seen.parallelism), 0)


def _numbers(seen: Standing, count: int) -> list[int | None]:
    if not is_indexed(seen.job):
        return [None] * count
    taken = seen.completed | {index for pod in seen.active if (index := index_of(pod)) is not None}
    if replaces_only_failed(seen.job):
        taken |= {index for pod in seen.terminating if (index := index_of(pod)) is not None}
    free = (index for index in range(seen.completions or 0) if index not in taken)
    return [index for index, _ in zip(free, range(count), strict=False)]


def _pause(seen: Standing) -> float:
    """After failures in a row it takes longer and longer until the next try."""
    ended = [pod for pod in seen.pods if succeeded(pod) or failed(seen.job, pod)]
    ended.sort(key=ended_at, reverse=True)
    row = 0
    for pod in ended:
        if succeeded(pod):
            break
        row += 1
    if not row:
        return 0.0
    pause = min(_FIRST_PAUSE * 2.0 ** (row - 1), _LONGEST_PAUSE)
    return max(pause - (seen.now - ended_at(ended[0])).total_seconds(), 0.0)
