"""Token buckets: a burst, then a steady rate, and no way to profit from a clock that jumps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.platform.gateway.limits import Limiter


def test_a_burst_passes_and_the_next_request_is_told_when_to_come_back() -> None:
    limiter = Limiter(per_second=10, burst=3)
    assert [limiter.take("key", 0.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert limiter.take("key", 0.0) == 0.1


def test_callers_do_not_share_a_bucket() -> None:
    limiter = Limiter(per_second=1, burst=1)
    assert limiter.take("one", 0.0) == 0.0
    assert limiter.take("other", 0.0) == 0.0


@given(st.lists(st.floats(0, 3), min_size=1, max_size=200))
def test_no_pattern_of_requests_passes_more_than_burst_and_rate_allow(gaps: list[float]) -> None:
    limiter, now, passed = Limiter(per_second=5, burst=4), 0.0, 0
    for gap in gaps:
        now += gap
        passed += limiter.take("key", now) == 0.0
    assert passed <= 4 + 5 * now + 1e-6


def test_a_clock_that_jumps_back_gives_nothing() -> None:
    limiter = Limiter(per_second=1, burst=1)
    limiter.take("key", 100.0)
    assert limiter.take("key", 0.0) > 0
    assert limiter.take("key", 100.5) > 0


def test_the_table_stays_bounded_under_a_flood_of_names() -> None:
    limiter = Limiter(per_second=1, burst=2)
    for number in range(25_000):
        limiter.take(str(number), 0.0)
    assert len(limiter._buckets) <= 10_000
