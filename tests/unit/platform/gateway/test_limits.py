"""Token buckets: a burst, then a steady rate, and no way to profit from a clock that jumps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.platform.gateway.limits import Limiter, address_key


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


def test_what_is_given_back_can_be_taken_again_but_never_more_than_the_burst() -> None:
    limiter = Limiter(per_second=1.0, burst=2)
    limiter.take("a", 0.0)
    limiter.take("a", 0.0)

    limiter.give_back("a")
    assert limiter.take("a", 0.0) == 0.0
    assert limiter.take("a", 0.0) > 0.0

    for _ in range(10):
        limiter.give_back("a")
    assert [limiter.take("a", 0.0) == 0.0 for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("", "192.0.2.2", False),
        ("not an address", "not an address", True),
    ],
)
def test_one_customers_addresses_share_a_limit(one: str, other: str, same: bool) -> None:
    assert (address_key(one) == address_key(other)) is same
