"""What a job's status may become: counters that do not run backwards, conditions that fit together."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules.builtin import same
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import (
    IMMUTABLE,
    OMITTED,
    duplicate,
    invalid,
    nonnegative,
    required,
)
from argosy.kube.server.rules.workloads.job_policies import count_indexes, index_interval

_TERMINAL: Final = ("Failed", "Complete", "FailureTarget")
_PATH: Final = "status.conditions"


def is_true(status: Object, kind: str) -> bool:
    return any(
        one.get("type") == kind and one.get("status") == "True" for one in status.get("conditions") or ()
    )


def _is_false(status: Object, kind: str) -> bool:
    return any(
        one.get("type") == kind and one.get("status") == "False" for one in status.get("conditions") or ()
    )


def _finished(status: Object) -> bool:
    return is_true(status, "Complete") or is_true(status, "Failed")


class _Change:
    """Both states of a job, and which of its parts differ: upstream only complains of what a write changed."""

    def __init__(self, new: Object, old: Object) -> None:
        self.spec = new.get("spec") or {}
        self.new, self.old = new.get("status") or {}, old.get("status") or {}
        self.complete = is_true(self.new, "Complete")
        self.failed = is_true(self.new, "Failed")
        self.target = is_true(self.new, "FailureTarget")
        self.met = is_true(self.new, "SuccessCriteriaMet")
        self.finished = self.complete or self.failed

    def __call__(self, field: str) -> bool:
        """A count that is absent is 0; of the other fields absence says something else."""
        new, old = self.new.get(field), self.old.get(field)
        return (new or 0) != (old or 0) if field == "active" else not same(new, old)

    def condition(self, *kinds: str) -> bool:
        return any(is_true(self.new, kind) != is_true(self.old, kind) for kind in kinds)

    @property
    def finish(self) -> bool:
        return self.finished != _finished(self.old)


def check_job_status(new: Object, old: Object) -> list[Cause]:
    change = _Change(new, old)
    causes = _check_counts(change.new)
    causes += _check_ends(change)
    causes += _check_finished(change)
    causes += _check_indexes(change)
    causes += _check_met(change)
    return causes + _check_transition(change)


def _check_counts(status: Object) -> list[Cause]:
    causes: list[Cause] = []
    for field in ("active", "succeeded", "failed", "ready", "terminating"):
        causes += nonnegative(f"status.{field}", status.get(field))
    for field in ("succeeded", "failed"):
        seen: set[str] = set()
        for index, uid in enumerate((status.get("uncountedTerminatedPods") or {}).get(field) or ()):
            path = f"status.uncountedTerminatedPods.{field}[{index}]"
            if not uid:
                causes.append(invalid(path, uid, "must not be empty"))
            elif uid in seen:
                causes.append(duplicate(path, uid))
            seen.add(uid)
    return causes


def _check_ends(change: _Change) -> list[Cause]:
    status, causes = change.new, []
    ended, started = status.get("completionTime"), status.get("startTime")
    if change.condition("Complete", "Failed") and change.complete and change.failed:
        causes.append(invalid(_PATH, OMITTED, "cannot set Complete=True and Failed=true conditions"))
    if change.condition("Complete", "FailureTarget") and change.complete and change.target:
        causes.append(invalid(_PATH, OMITTED, "cannot set Complete=True and FailureTarget=true conditions"))
    if change.condition("Complete") or change("completionTime"):
        if ended is not None and not change.complete:
            told = "cannot set completionTime when there is no Complete=True condition"
            causes.append(invalid("status.completionTime", ended, told))
        if ended is None and change.complete:
            told = "completionTime is required for Complete jobs"
            causes.append(required("status.completionTime", told))
    if (change("startTime") or change("completionTime")) and started and ended and ended < started:
        told = "must be equal to or after `startTime`"
        causes.append(invalid("status.completionTime", ended, told))
    if (change.condition("Failed") or change("failedIndexes")) and change.failed and not change.target:
        told = "cannot set Failed=True condition without the FailureTarget=true condition"
        causes.append(invalid(_PATH, OMITTED, told))
    if change.condition("Complete", "SuccessCriteriaMet") and change.complete and not change.met:
        told = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        causes.append(invalid(_PATH, OMITTED, told))
    return causes


def _check_finished(change: _Change) -> list[Cause]:
    status, causes = change.new, []
    active, uncounted = status.get("active") or 0, status.get("uncountedTerminatedPods") or {}
    if not change.finished:
        return []
    if (change.finish or change("active")) and active > 0:
        causes.append(invalid("status.active", active, "active>0 is invalid for finished job"))
    nothing = change.spec.get("suspend") is True and change.spec.get("completions") == 0
    if (change.finish or change("startTime")) and not nothing and status.get("startTime") is None:
        causes.append(required("status.startTime", "startTime is required for finished job"))
    waiting = uncounted.get("failed") or uncounted.get("succeeded")
    if (change.finish or change("uncountedTerminatedPods")) and waiting:
        shown = printed("batch.UncountedTerminatedPods", uncounted)
        causes.append(invalid("status.uncountedTerminatedPods", shown, "must be empty for finished job"))
    return causes


def _check_indexes(change: _Change) -> list[Cause]:
    status, spec, causes = change.new, change.spec, []
    completed, failed = status.get("completedIndexes") or "", status.get("failedIndexes")
    completions, per_index = spec.get("completions"), spec.get("backoffLimitPerIndex") is not None
    if change("completedIndexes") and completions is not None:
        causes += _check_list(completed, completions, "completedIndexes")
    if change("failedIndexes") and completions is not None and per_index and failed is not None:
        causes += _check_list(failed, completions, "failedIndexes")
    if change("completedIndexes") and completed and spec.get("completionMode") != "Indexed":
        told = "cannot set non-empty completedIndexes when non-indexed completion mode"
        causes.append(invalid("status.completedIndexes", completed, told))
    if change("failedIndexes") and not per_index and failed is not None:
        told = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        causes.append(invalid("status.failedIndexes", failed, told))
    either = change("failedIndexes") or change("completedIndexes")
    if either and completions is not None and failed is not None:
        shared = _first_shared(completed, failed, completions)
        if shared is not None:
            told = f"failedIndexes and completedIndexes overlap at index: {shared}"
            causes.append(invalid("status.failedIndexes", failed, told))
    terminating, ready = status.get("terminating") or 0, status.get("ready")
    if (change.finish or change("terminating")) and terminating > 0 and change.finished:
        causes.append(invalid("status.terminating", terminating, "terminating>0 is invalid for finished job"))
    if (change("ready") or change("active")) and ready is not None and ready > (status.get("active") or 0):
        causes.append(invalid("status.ready", ready, "cannot set more ready pods than active"))
    return causes


def _check_list(text: str, completions: int, field: str) -> list[Cause]:
    try:
        count_indexes(text, completions)
    except ValueError as error:
        return [invalid(f"status.{field}", text, f"error parsing {field}: {error}")]
    return []


def _first_shared(completed: str, failed: str, completions: int) -> int | None:
    for one in _intervals(completed, completions):
        for other in _intervals(failed, completions):
            if one[0] <= other[1] and other[0] <= one[1]:
                return max(one[0], other[0])
    return None


def _intervals(text: str, completions: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for part in text.split(",") if text else ():
        try:
            found.append(index_interval(part, completions))
        except ValueError:
            continue
    return found


def _check_met(change: _Change) -> list[Cause]:
    causes: list[Cause] = []
    if change.met and change.failed:
        told = "cannot set SuccessCriteriaMet=True and Failed=true conditions"
        causes.append(invalid(_PATH, OMITTED, told))
    if change.met and change.target:
        told = "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"
        causes.append(invalid(_PATH, OMITTED, told))
    if change.spec.get("successPolicy") is not None and not change.met and change.complete:
        told = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        causes.append(invalid(_PATH, OMITTED, told))
    return causes


def _check_transition(change: _Change) -> list[Cause]:
    new, old, spec, causes = change.new, change.old, change.spec, []
    for kind in _TERMINAL:
        if is_true(old, kind) and not is_true(new, kind):
            told = f"cannot disable the terminal {kind}=True condition"
            causes.append(invalid(_PATH, OMITTED, told))
    elastic = spec.get("completionMode") == "Indexed" and spec.get("completions") == spec.get("parallelism")
    for field, checked in (("failed", True), ("succeeded", not elastic)):
        count = new.get(field) or 0
        if checked and count < (old.get(field) or 0):
            causes.append(invalid(f"status.{field}", count, f"cannot decrease the {field} counter"))
    ended, before = new.get("completionTime"), old.get("completionTime")
    if ended is not None and before is not None and ended != before:
        causes.append(invalid("status.completionTime", ended, IMMUTABLE))
    resuming = is_true(old, "Suspended") and _is_false(new, "Suspended")
    moved = old.get("startTime") is not None and change("startTime")
    if moved and not resuming and not spec.get("suspend"):
        told = "field is immutable for unsuspended job once set"
        causes.append(invalid("status.startTime", new.get("startTime"), told))
    was_met = is_true(old, "SuccessCriteriaMet")
    if was_met and not change.met:
        causes.append(invalid(_PATH, OMITTED, "cannot disable the SuccessCriteriaMet=True condition"))
    if is_true(old, "Complete") and not was_met and change.met:
        told = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        causes.append(invalid(_PATH, OMITTED, told))
    return causes
