"""The instants at which a timetable is due: one fixed, growing series, wherever one starts to read it.

When clocks change we follow Debian's cron:
- A job that names its minutes and hours runs once for each local time it names. A time that the clock skips
  runs at the first instant after the gap; of a time that comes twice, the first one counts.
- A job with `*` in minute or hour runs whenever the local clock shows a matching time: not in a gap, and in
  both passes of a repeated hour.

cronsim matches local times; the zone is applied here, because its own answers depend on where it starts
(it may go back before its start in a repeated hour, and it passes over half-hour changes such as Lord Howe's).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile

from cronsim import CronSim

from argosy.domain.cron.expression import Timetable

_SECOND = timedelta(seconds=1)
_STRIDE = timedelta(days=7)  # clocks never change twice within a week
_WINDOWS = (timedelta(hours=1), timedelta(days=1), timedelta(days=32), timedelta(days=366))


def next_times(table: Timetable, after: datetime, count: int) -> list[datetime]:
    """The first `count` instants strictly after `after`, in UTC. Fewer only if there are no more."""
    return list(islice(times(table, after), count))


def latest_times(table: Timetable, after: datetime, until: datetime, count: int) -> list[datetime]:
    """The last `count` instants in (after, until], oldest first, without walking through all the others."""
    for window in _WINDOWS:
        if until - window <= after:
            break
        found = _between(table, until - window, until)
        if len(found) >= count:
            return found[-count:]
    return _between(table, after, until)[-count:]


def _between(table: Timetable, after: datetime, until: datetime) -> list[datetime]:
    return list(takewhile(lambda due: due <= until, times(table, after)))


def times(table: Timetable, after: datetime) -> Iterator[datetime]:
    return _fixed(table, after) if table.fixed else _whenever(table, after)


def _fixed(table: Timetable, after: datetime) -> Iterator[datetime]:
    last = after
    for local in CronSim(table.expression, _local(table, after)):
        if (due := _instant(table, local)) > last:
            yield due
            last = due


def _whenever(table: Timetable, after: datetime) -> Iterator[datetime]:
    """Between two changes of the clock, local time is UTC plus a constant: go from one such stretch to the next."""
    position, offset = after.astimezone(UTC), _offset(table, after)
    matches = CronSim(table.expression, _local(table, after))
    while (local := next(matches, None)) is not None:
        due = (local - offset).replace(tzinfo=UTC)
        if (change := _change(table, position, due)) is None:
            yield due
            position = due
        else:
            position, offset = change, _offset(table, change)
            matches = CronSim(table.expression, _local(table, change) - _SECOND)


def _change(table: Timetable, start: datetime, end: datetime) -> datetime | None:
    """The first instant in (start, end] at which the clock is set to another offset."""
    offset = _offset(table, start)
    before = start
    while before < end:
        beyond = min(before + _STRIDE, end)
        if _offset(table, beyond) != offset:
            return _bisect(table, before, beyond)
        before = beyond
    return None


def _bisect(table: Timetable, before: datetime, beyond: datetime) -> datetime:
    offset = _offset(table, before)
    low, high = int(before.timestamp()), -int(-beyond.timestamp() // 1)
    while high - low > 1:
        middle = (low + high) // 2
        if _offset(table, datetime.fromtimestamp(middle, UTC)) == offset:
            low = middle
        else:
            high = middle
    return datetime.fromtimestamp(high, UTC)


def _instant(table: Timetable, local: datetime) -> datetime:
    """A local time as an instant: the first of two; if the clock skips it, the end of the gap."""
    due = local.replace(tzinfo=table.zone, fold=0).astimezone(UTC)
    if due.astimezone(table.zone).replace(tzinfo=None) == local:
        return due
    after_gap = local.replace(tzinfo=table.zone, fold=1).astimezone(UTC)
    return _bisect(table, after_gap - _SECOND, due)


def _local(table: Timetable, instant: datetime) -> datetime:
    return instant.astimezone(table.zone).replace(tzinfo=None)


def _offset(table: Timetable, instant: datetime) -> timedelta:
    return instant.astimezone(table.zone).utcoffset() or timedelta(0)
