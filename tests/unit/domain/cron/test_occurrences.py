"""When a timetable is due, above all on the days on which the clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from cronsim import CronSim
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.domain.cron import Timetable, latest_times, next_times, timetable
from tests.unit.domain.cron.strategies import expressions, instants, zones


def local(table: Timetable, after: str, count: int) -> list[str]:
    """As a clock on the wall would show it, with its offset."""
    start = datetime.fromisoformat(after).replace(tzinfo=table.zone)
    return [
        due.astimezone(table.zone).isoformat(timespec="minutes") for due in next_times(table, start, count)
    ]


@pytest.mark.parametrize(
    "zone, expression, after, expected",
    [
        # Berlin, spring: 02:00 becomes 03:00. A skipped time runs right after the gap, once.
        ("Europe/Berlin", "30 2 * * *", "2026-03-28T12:00", ["2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"]),
        ("Europe/Berlin", "0,30 2 * * *", "2026-03-28T12:00", ["2026-03-29T03:00+02:00", "2026-03-30T02:00+02:00"]),
        ("Europe/Berlin", "*/30 2 * * *", "2026-03-28T12:00", ["2026-03-30T02:00+02:00", "2026-03-30T02:30+02:00"]),
        ("Europe/Berlin", "0 * * * *", "2026-03-29T00:30", ["2026-03-29T01:00+01:00", "2026-03-29T03:00+02:00"]),
        # Berlin, autumn: 03:00 becomes 02:00. A fixed time runs once, a wildcard in both hours.
        ("Europe/Berlin", "30 2 * * *", "2026-10-24T12:00", ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]),
        ("Europe/Berlin", "30 * * * *", "2026-10-25T01:45",
         ["2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00", "2026-10-25T03:30+01:00"]),
        # Lord Howe changes by half an hour: spring 02:00 becomes 02:30, autumn 02:00 becomes 01:30.
        ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T12:00",
         ["2026-10-04T02:30+11:00", "2026-10-05T02:15+11:00"]),
        ("Australia/Lord_Howe", "*/10 2 4 10 *", "2026-10-03T12:00",
         ["2026-10-04T02:30+11:00", "2026-10-04T02:40+11:00", "2026-10-04T02:50+11:00", "2027-10-04T02:00+11:00"]),
        ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T12:00",
         ["2026-04-05T01:45+11:00", "2026-04-06T01:45+10:30"]),
        ("Australia/Lord_Howe", "*/20 1-2 5 4 *", "2026-04-04T12:00",
         ["2026-04-05T01:00+11:00", "2026-04-05T01:20+11:00", "2026-04-05T01:40+11:00", "2026-04-05T01:40+10:30",
          "2026-04-05T02:00+10:30", "2026-04-05T02:20+10:30", "2026-04-05T02:40+10:30"]),
        # Cairo changes at midnight: 00:00 becomes 01:00.
        ("Africa/Cairo", "0 0 * * *", "2026-04-23T12:00", ["2026-04-24T01:00+03:00", "2026-04-25T00:00+03:00"]),
        ("Africa/Cairo", "*/30 0 * * FRI", "2026-04-23T12:00", ["2026-05-01T00:00+03:00", "2026-05-01T00:30+03:00"]),
        # Apia left out the whole of 30 December 2011.
        ("Pacific/Apia", "0 12 * * *", "2011-12-29T06:00",
         ["2011-12-29T12:00-10:00", "2011-12-31T00:00+14:00", "2011-12-31T12:00+14:00"]),
    ],
)  # fmt: skip
def test_clock_changes_follow_debian(zone: str, expression: str, after: str, expected: list[str]) -> None:
    assert local(timetable(expression, zone), after, len(expected)) == expected


@given(zones, expressions(), instants, st.integers(1, 4000))
@settings(max_examples=150, deadline=None)
def test_it_does_not_matter_where_one_starts_to_read(
    zone: str, expression: str, start: datetime, minutes: int
) -> None:
    table = timetable(expression, zone)
    later = start + timedelta(minutes=minutes, seconds=17)

    series = next_times(table, start, 300)
    rest = [due for due in series if due > later]

    assert series == sorted(set(series)) and series[0] > start
    assert next_times(table, later, len(rest)) == rest
    assert latest_times(table, start, series[-1], 5) == series[-5:]


@given(
    zones, st.sampled_from(["*/7 * * * *", "13 * * * *", "* 1-3 * * *", "*/20 */2 1-15 * MON-WED"]), instants
)
@settings(max_examples=60, deadline=None)
def test_a_wildcard_is_due_whenever_the_wall_clock_matches(
    zone: str, expression: str, start: datetime
) -> None:
    table = timetable(expression, zone)
    start = start.replace(second=0)

    minutes = [start + timedelta(minutes=number) for number in range(1, 1800)]
    expected = [moment for moment in minutes if matches(expression, moment.astimezone(table.zone))]

    assert next_times(table, start, len(expected)) == expected


def matches(expression: str, moment: datetime) -> bool:
    naive = moment.replace(tzinfo=None)
    return next(CronSim(expression, naive - timedelta(minutes=1))) == naive


def test_times_are_utc_and_strictly_after() -> None:
    table = timetable("0 12 * * *", "UTC")
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)

    assert next_times(table, noon, 1) == [noon + timedelta(days=1)]
    assert next_times(table, noon - timedelta(microseconds=1), 1) == [noon]
