"""Sync windows: which of them are for an application, which are open, whether a sync may run, and when that may change. Pure.

A window opens at the instant its schedule names, in its own time zone, and is closed again after its duration. Clocks that change are followed as
everywhere else (`domain/cron`): Argo CD takes the offset of the moment for the whole schedule.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice

from argosy.argo.cd.applications.durations import seconds
from argosy.argo.cd.projects.patterns import fits
from argosy.contracts.argo.application import Destination
from argosy.contracts.argo.project import SyncWindow
from argosy.domain.cron import Timetable, latest_times, next_times, timetable
from argosy.domain.cron.occurrences import times
from argosy.kit.errors import Invalid

BLOCKED = "Sync operation blocked by sync window"
MOST_INSTANTS = 250
"""That are looked at for a change: a window that opens every minute has many."""
FARTHEST = timedelta(days=366)
_ZONE = re.compile(r"^(?:CRON_)?TZ=(\S+)\s+(.*)$")


class BadWindow(Exception):
    """What is wrong with it, in Argo CD's words."""


@dataclass(frozen=True, slots=True)
class Span:
    """When a window opens, and for how long."""

    table: Timetable
    length: timedelta

    def is_open(self, at: datetime) -> bool:
        return bool(opened := next_times(self.table, at - self.length, 1)) and opened[0] <= at

    def closes_after(self, now: datetime) -> datetime | None:
        """When it closes, if it is open and nothing opens it again before; None: it is closed."""
        opened = latest_times(self.table, now - self.length, now, 1)
        return opened[0] + self.length if opened else None


def matching(windows: Sequence[SyncWindow], name: str, destination: Destination) -> list[SyncWindow]:
    return [window for window in windows if _is_for(window, name, destination)]


def _is_for(window: SyncWindow, name: str, destination: Destination) -> bool:
    """One list that fits is enough, unless all that are given have to."""
    cluster = [text for text in (destination.name, destination.server) if text]
    asked = (
        (window.applications, [name]),
        (window.clusters, cluster),
        (window.namespaces, [destination.namespace]),
    )
    answers = [
        any(fits(pattern, text) for pattern in patterns for text in texts)
        for patterns, texts in asked
        if patterns
    ]
    return bool(answers) and (all(answers) if window.and_operator else any(answers))


def permitted(
    windows: Sequence[SyncWindow], *, manual: bool, now: datetime, started: datetime | None
) -> bool:
    """`windows` are those that match. `started`: a sync that runs already may go on where all that would stop it let it. Raises `BadWindow`."""
    stops = _stopping(windows, _open(windows, now), manual=manual)
    if not stops or started is None or not all(window.sync_overrun for window in stops):
        return not stops
    return not _stopping(windows, _open(windows, started), manual=manual)


def _open(windows: Sequence[SyncWindow], at: datetime) -> list[bool]:
    return [span(window).is_open(at) for window in windows]


def _stopping(windows: Sequence[SyncWindow], opened: Sequence[bool], *, manual: bool) -> list[SyncWindow]:
    """The windows that forbid: open ones that deny; or, with none open that allows, the closed ones that would."""
    states = list(zip(windows, opened, strict=True))
    forbidding = [window for window, is_open in states if is_open and window.kind == "deny"]
    if not forbidding and not any(is_open for window, is_open in states if window.kind == "allow"):
        forbidding = [window for window, _ in states if window.kind == "allow"]
    return [] if manual and all(window.manual_sync for window in forbidding) else forbidding


def next_change(windows: Sequence[SyncWindow], *, manual: bool, now: datetime) -> datetime | None:
    """The first instant at which the answer is another one; None: not within a year, or not soon. Raises `BadWindow`."""
    before = bool(_stopping(windows, _open(windows, now), manual=manual))
    for when, opened in islice(_course([span(window) for window in windows], now), MOST_INSTANTS):
        if when - now > FARTHEST:
            return None
        if bool(_stopping(windows, opened, manual=manual)) != before:
            return when
    return None


def _course(spans: Sequence[Span], now: datetime) -> Iterator[tuple[datetime, list[bool]]]:
    """Each instant at which one of them opens or closes, and which are open then."""
    closes = [one.closes_after(now) for one in spans]
    starts = heapq.merge(*(_starts(place, one, now) for place, one in enumerate(spans)))
    start = next(starts, None)
    while start is not None:
        due = min((close for close in closes if close is not None), default=start[0])
        when = min(due, start[0])
        while start is not None and start[0] == when:
            closes[start[1]] = when + spans[start[1]].length
            start = next(starts, None)
        closes = [None if close is not None and close <= when else close for close in closes]
        yield when, [close is not None for close in closes]


def _starts(place: int, one: Span, after: datetime) -> Iterator[tuple[datetime, int]]:
    return ((when, place) for when in times(one.table, after))


def span(window: SyncWindow) -> Span:
    """Raises `BadWindow`."""
    return _span(window.schedule, window.duration, window.time_zone)


@lru_cache(1024)
def _span(schedule: str, duration: str, zone: str) -> Span:
    text = schedule.strip()
    if found := _ZONE.match(text):
        zone, text = found[1], found[2]
    try:
        table = timetable(text.replace("?", "*"), zone or "UTC")
    except Invalid as error:
        raise BadWindow(f"cannot parse schedule '{schedule}': {error.message}") from error
    try:
        if duration.strip().lstrip("+-").isdigit() and duration.strip("+-0 "):
            raise ValueError(f'time: missing unit in duration "{duration}"')
        return Span(table, timedelta(seconds=seconds(duration)))
    except (ValueError, OverflowError) as error:
        raise BadWindow(f"cannot parse duration '{duration}': {error}") from error
