"""What to fire now: given when a schedule last came due and what time it is, the due times to fire and to pass over.

`platform/cron/scheduler.py` carries the plan out in one transaction. A due time is never planned twice, because
`last_due` only grows: if the clock is set back, the schedule waits until time has caught up with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, takewhile
from typing import Literal

from argosy.domain.cron.expression import Timetable
from argosy.domain.cron.occurrences import latest_times, next_times, times

Missed = Literal["skip", "one", "all"]

ON_TIME = timedelta(seconds=60)
"""A tick this late is not missed: a restart in between must not cost one."""
MOST_MADE_UP_FOR = 1_000
MOST_COUNTED = 10_000


@dataclass(frozen=True, slots=True)
class Fire:
    due: datetime
    missed: int  # due times before this one that are not made up for


@dataclass(frozen=True, slots=True)
class Plan:
    """`passed` are due times missed with nothing to report them yet: the next fire carries them."""

    fires: tuple[Fire, ...]
    passed: int
    last_due: datetime
    next_due: datetime | None


def plan_ticks(table: Timetable, last_due: datetime, now: datetime, missed: Missed, passed: int = 0) -> Plan:
    """All due times in (last_due, now] are dealt with, once. `passed` comes from the plan before."""
    come = sum(1 for _ in islice(takewhile(lambda due: due <= now, times(table, last_due)), MOST_COUNTED))
    if not come:
        return Plan((), passed, last_due, _next(table, last_due))
    dues = latest_times(table, last_due, now, MOST_MADE_UP_FOR if missed == "all" else 1)
    if missed == "skip" and now - dues[-1] > ON_TIME:
        return Plan((), passed + come, dues[-1], _next(table, dues[-1]))
    first = Fire(dues[0], passed + max(0, come - len(dues)))
    rest = tuple(Fire(due, 0) for due in dues[1:])
    return Plan((first, *rest), 0, dues[-1], _next(table, dues[-1]))


def _next(table: Timetable, after: datetime) -> datetime | None:
    return next(iter(next_times(table, after, 1)), None)
