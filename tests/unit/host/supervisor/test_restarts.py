"""When a process that died is started again."""

from __future__ import annotations

import pytest

from argosy.host.supervisor import restarts


@pytest.mark.parametrize(
    ("failures", "seconds"), [(1, 0.2), (2, 0.4), (3, 0.8), (6, 6.4), (7, 10.0), (10_000, 10.0)]
)
def test_each_failure_doubles_the_pause_up_to_ten_seconds(failures: int, seconds: float) -> None:
    assert restarts.delay(failures) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("before", "ready_seconds", "after"), [(0, 0.0, 1), (4, 0.0, 5), (4, 59.9, 5), (4, 60.0, 1)]
)
def test_a_minute_of_health_forgives_earlier_failures(before: int, ready_seconds: float, after: int) -> None:
    assert restarts.failures(before, ready_seconds) == after


@pytest.mark.parametrize(
    ("failures", "ever_ready", "given_up"), [(4, False, False), (5, False, True), (5000, True, False)]
)
def test_only_what_never_was_ready_is_given_up(failures: int, ever_ready: bool, given_up: bool) -> None:
    assert restarts.gives_up(failures, ever_ready=ever_ready) is given_up


@pytest.mark.parametrize(
    ("status", "words"),
    [(0, "exit code 0"), (3 << 8, "exit code 3"), (9, "killed by SIGKILL"), (63, "killed by signal 63")],
)
def test_an_end_is_told_in_words(status: int, words: str) -> None:
    assert restarts.reason(status) == words


@pytest.mark.parametrize(
    ("external", "hurry", "seconds"),
    [(True, 0, 30.0), (False, 0, 30.0), (True, 1, 5.0), (False, 1, 0.0), (True, 2, 0.0)],
)
def test_each_interrupt_shortens_the_grace(external: bool, hurry: int, seconds: float) -> None:
    assert restarts.grace(30.0, external=external, hurry=hurry) == seconds
