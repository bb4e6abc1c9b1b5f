"""Each due time is dealt with once, however often and whenever the planner is asked."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import takewhile

from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.domain.cron import Missed, plan_ticks, timetable
from argosy.domain.cron.occurrences import times
from argosy.domain.cron.ticks import MOST_COUNTED, MOST_MADE_UP_FOR
from tests.unit.domain.cron.strategies import expressions, instants, zones

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
HOURLY = timetable("0 * * * *", "UTC")


def test_nothing_is_due_before_its_time() -> None:
    plan = plan_ticks(HOURLY, NOON, NOON + timedelta(minutes=59), "all")

    assert plan.fires == () and plan.last_due == NOON and plan.next_due == NOON + timedelta(hours=1)


def test_one_fires_the_latest_and_counts_the_others() -> None:
    plan = plan_ticks(HOURLY, NOON, NOON + timedelta(hours=5, minutes=30), "one")

    assert [(fire.due.hour, fire.missed) for fire in plan.fires] == [(17, 4)]
    assert plan.next_due == NOON + timedelta(hours=6)


def test_all_fires_each_in_order() -> None:
    plan = plan_ticks(HOURLY, NOON, NOON + timedelta(hours=3), "all")

    assert [(fire.due.hour, fire.missed) for fire in plan.fires] == [(13, 0), (14, 0), (15, 0)]


def test_all_makes_up_for_the_latest_thousand_and_says_how_many_it_left_out() -> None:
    plan = plan_ticks(HOURLY, NOON, NOON + timedelta(hours=1500), "all")

    assert len(plan.fires) == MOST_MADE_UP_FOR
    assert [fire.missed for fire in plan.fires[:2]] == [500, 0]
    assert plan.fires[-1].due == NOON + timedelta(hours=1500)


def test_skip_passes_over_what_was_missed_and_the_next_tick_tells() -> None:
    late = plan_ticks(HOURLY, NOON, NOON + timedelta(hours=2, minutes=5), "skip")
    then = plan_ticks(HOURLY, late.last_due, NOON + timedelta(hours=3), "skip", late.passed)

    assert (late.fires, late.passed) == ((), 2)
    assert [(fire.due.hour, fire.missed) for fire in then.fires] == [(15, 2)] and then.passed == 0


def test_skip_still_fires_what_a_quick_restart_made_late() -> None:
    plan = plan_ticks(HOURLY, NOON, NOON + timedelta(hours=1, seconds=20), "skip")

    assert [fire.due.hour for fire in plan.fires] == [13]


def test_a_clock_set_back_fires_nothing_again() -> None:
    fired = plan_ticks(HOURLY, NOON, NOON + timedelta(hours=1), "all")
    back = plan_ticks(HOURLY, fired.last_due, NOON - timedelta(days=3), "all")

    assert back.fires == () and back.last_due == fired.last_due and back.next_due == NOON + timedelta(hours=2)


def test_years_of_missed_minutes_are_planned_in_bounded_work() -> None:
    plan = plan_ticks(timetable("* * * * *", "UTC"), NOON, NOON + timedelta(days=2000), "one")

    assert [(fire.due, fire.missed) for fire in plan.fires] == [
        (NOON + timedelta(days=2000), MOST_COUNTED - 1)
    ]


restarts = st.lists(st.integers(-600, 2000), min_size=1, max_size=8)


@given(zones, expressions(), instants, restarts, st.sampled_from(["skip", "one", "all"]))
@settings(max_examples=120, deadline=None)
def test_each_due_time_fires_at_most_once_and_under_all_exactly_once(
    zone: str, expression: str, start: datetime, steps: list[int], missed: Missed
) -> None:
    table = timetable(expression, zone)
    moment, last_due, passed, latest = start, start, 0, start
    fired: list[datetime] = []
    told = 0
    for minutes in steps:  # negative: the clock was set back meanwhile
        moment += timedelta(minutes=minutes, seconds=3)
        latest = max(latest, moment)
        plan = plan_ticks(table, last_due, moment, missed, passed)
        assert plan.last_due >= last_due
        last_due, passed = plan.last_due, plan.passed
        fired += [fire.due for fire in plan.fires]
        told += sum(fire.missed for fire in plan.fires)

    expected = list(takewhile(lambda due: due <= latest, times(table, start)))

    assert fired == sorted(fired) and max(Counter(fired).values(), default=1) == 1
    assert set(fired) <= set(expected)
    assert len(fired) + told + passed == len(expected), "what did not fire was counted"
    if missed == "all" and len(expected) <= MOST_MADE_UP_FOR:
        assert fired == expected
