"""The policy against guessing, as a table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from argosy.platform.identity.throttle import (
    PER_EMAIL,
    PER_REMOTE,
    Count,
    charged,
    email_key,
    refunded,
    remote_key,
    wait_left,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def after(failures, policy, now=NOW):
    count = Count()
    for _ in range(failures):
        count = charged(count, policy, now)
    return count


@pytest.mark.parametrize(
    "failures, seconds", [(1, 0), (4, 0), (5, 30), (6, 60), (7, 120), (11, 1920), (12, 3600), (10_000, 3600)]
)
def test_the_wait_doubles_after_five_failures_up_to_an_hour(failures, seconds):
    assert wait_left(after(failures, PER_EMAIL), NOW) == seconds


def test_an_address_has_more_room_than_an_e_mail():
    assert wait_left(after(49, PER_REMOTE), NOW) == 0
    assert wait_left(after(50, PER_REMOTE), NOW) == 30


def test_a_lock_opens_in_time_and_the_next_failure_locks_longer():
    count = after(5, PER_EMAIL)
    later = NOW + timedelta(seconds=31)
    assert wait_left(count, later) == 0
    assert wait_left(charged(count, PER_EMAIL, later), later) == 60


def test_a_quiet_day_forgives():
    count = charged(after(9, PER_EMAIL), PER_EMAIL, NOW + timedelta(hours=24, seconds=1))
    assert count.failures == 1 and count.locked_until is None


def test_a_refund_undoes_one_charge():
    before = after(4, PER_EMAIL)
    assert refunded(charged(before, PER_EMAIL, NOW), PER_EMAIL).failures == 4
    assert refunded(charged(before, PER_EMAIL, NOW), PER_EMAIL).locked_until is None
    assert refunded(Count(), PER_EMAIL).failures == 0


@pytest.mark.parametrize(
    "one, other",
    [("2001:db8::1", "2001:db8::ffff:2"), ("::ffff:10.0.0.1", "10.0.0.1")],
)
def test_addresses_of_one_customer_count_together(one, other):
    assert remote_key(one) == remote_key(other)


def test_addresses_of_two_customers_do_not():
    assert remote_key("10.0.0.1") != remote_key("10.0.0.2")
    assert remote_key("2001:db8:0:1::1") != remote_key("2001:db8:0:2::1")
    assert remote_key("") == "" and remote_key("unix").startswith("remote:")


def test_the_table_of_failures_is_no_list_of_addresses():
    assert "member" not in email_key("member@example.org")
