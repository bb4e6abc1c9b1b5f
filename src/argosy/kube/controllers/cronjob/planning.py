"""When a CronJob is due, which of its Jobs are too many, and what a new one looks like. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple

from argosy.domain.cron import latest_times, next_times, timetable
from argosy.domain.cron.expression import Timetable
from argosy.kit.errors import Invalid
from argosy.kube.controllers.conditions import is_true
from argosy.kube.controllers.pods.owning import owner_reference
from argosy.kube.controllers.pods.state import created
from argosy.kube.objects import Object, annotations_of, labels_of, name_of, namespace_of
from argosy.kube.reconcile.times import parse

SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"
_SHORTHANDS = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}  # fmt: skip
_ZONE = re.compile(r"(?:CRON_)?TZ=(\S+)\s+(.*)")
_EVERY = re.compile(r"@every\s+((?:\d+(?:\.\d+)?(?:h|m|s|ms))+)")
_PARTS = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_MANY = 100


class Schedule(NamedTuple):
    """One of both."""

    table: Timetable | None
    every: timedelta

    def after(self, moment: datetime) -> datetime | None:
        if self.table is None:
            return moment.replace(microsecond=0) + self.every
        return next(iter(next_times(self.table, moment, 1)), None)

    def latest(self, after: datetime, until: datetime) -> tuple[datetime | None, int]:
        """The last time in between, and how many there were, as far as that matters."""
        if self.table is not None:
            found = latest_times(self.table, after, until, _MANY + 1)
            return (found[-1] if found else None), len(found)
        count = max(int((until - after) / self.every), 0)
        return (after + self.every * count if count else None), count


def schedule(owner: Object) -> Schedule:
    """Raises Invalid with what is wrong."""
    text = str(owner["spec"].get("schedule", "")).strip()
    zone = owner["spec"].get("timeZone") or "UTC"
    if found := _ZONE.fullmatch(text):
        zone, text = found.groups()
    if found := _EVERY.fullmatch(text):
        seconds = sum(float(value) * _SECONDS[unit] for value, unit in _PARTS.findall(found[1]))
        return Schedule(None, timedelta(seconds=max(round(seconds), 1)))
    text = _SHORTHANDS.get(text.lower(), text).replace("?", "*")
    return Schedule(timetable(text, str(zone)), timedelta(0))


class Due(NamedTuple):
    at: datetime | None
    """The newest time that was not served yet."""
    missed: int
    next: datetime | None


def due(owner: Object, times: Schedule, now: datetime) -> Due:
    status = owner.get("status") or {}
    since = parse(status.get("lastScheduleTime")) or created(owner)
    if (deadline := owner["spec"].get("startingDeadlineSeconds")) is not None:
        since = max(since, now - timedelta(seconds=int(deadline)))
    at, missed = times.latest(since.astimezone(UTC), now)
    return Due(at, missed, times.after(now))


def too_late(owner: Object, at: datetime, now: datetime) -> bool:
    deadline = owner["spec"].get("startingDeadlineSeconds")
    return deadline is not None and at + timedelta(seconds=int(deadline)) < now


def is_finished(job: Object) -> str:
    """`Complete`, `Failed` or nothing."""
    return next((kind for kind in ("Complete", "Failed") if is_true(job, kind)), "")


def to_clean_up(owner: Object, jobs: list[Object]) -> Iterator[Object]:
    """Ended Jobs beyond the history limits, oldest first."""
    for kind, limit in (("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit")):
        kept = owner["spec"].get(limit)
        if kept is not None:
            ended = sorted((job for job in jobs if is_finished(job) == kind), key=_started)
            yield from islice(ended, max(len(ended) - int(kept), 0))


def _started(job: Object) -> tuple[datetime, str]:
    return parse((job.get("status") or {}).get("startTime")) or created(job), name_of(job)


def job_for(owner: Object, at: datetime) -> Object:
    """Named by the minute, so that no minute is served twice."""
    template = owner["spec"]["jobTemplate"]
    zone = owner["spec"].get("timeZone")
    shown = at.astimezone(timetable("* * * * *", str(zone)).zone if zone else UTC)
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"{name_of(owner)}-{int(at.timestamp()) // 60}",
            "namespace": namespace_of(owner),
            "labels": dict(labels_of(template)),
            "annotations": {
                **annotations_of(template),
                SCHEDULED: shown.isoformat(timespec="seconds").replace("+00:00", "Z"),
            },
            "ownerReferences": [owner_reference(owner)],
        },
        "spec": template["spec"],
    }


def checked(owner: Object) -> Schedule | str:
    """The schedule, or what is wrong with it."""
    try:
        return schedule(owner)
    except Invalid as error:
        return str(error)
