"""How often a repository is asked: soon after something happened, seldom when all is quiet, never when it tells by itself."""

from __future__ import annotations

from argosy.argo.cd.repositories.polling import LATEST, SOONEST, Pace


def pauses(pace: Pace, changes: list[bool]) -> list[float]:
    """Each look takes a second and comes when it is due."""
    now, found = 100.0, []
    for changed in changes:
        pace.looked(now, now + 1, changed=changed)
        found.append(pace.due - now - 1)
        now = pace.due
    return found


def test_the_pauses_double_while_all_is_quiet() -> None:
    assert pauses(Pace(), [False] * 7) == [SOONEST, 20, 40, 80, 160, LATEST, LATEST]


def test_after_a_change_it_is_soon_again() -> None:
    assert pauses(Pace(), [False, False, False, True, False]) == [10, 20, 40, 10, 20]


def test_an_answer_is_believed_until_the_next_look_is_overdue() -> None:
    pace = Pace()
    assert not pace.believes(100)  # nobody has looked yet
    pace.looked(100, 101, changed=False)
    assert pace.believes(101)
    assert pace.believes(pace.due + 20)
    assert not pace.believes(pace.due + 31)


def test_who_wants_it_fresh_believes_only_what_was_asked_for_later() -> None:
    pace = Pace()
    pace.looked(100, 105, changed=False)
    assert not pace.believes(106, since=103)  # it was on its way already
    pace.looked(104, 106, changed=False)
    assert pace.believes(106, since=103)


def test_a_push_during_a_look_makes_its_answer_worthless() -> None:
    pace = Pace(announces=True)
    pace.announced(102)
    pace.looked(101, 103, changed=False)
    assert not pace.believes(104)
    pace.looked(104, 105, changed=True)
    assert pace.believes(105)


def test_what_announces_is_never_due_and_believed_for_ever() -> None:
    pace = Pace(announces=True)
    pace.looked(100, 101, changed=False)
    assert pace.due == 0
    assert pace.believes(1e9)


def test_after_a_push_to_what_is_polled_too_it_is_soon_again() -> None:
    pace = Pace()
    pauses(pace, [False] * 6)
    pace.announced(1000)
    assert not pace.believes(1000)
    pace.looked(1001, 1002, changed=False)
    assert pace.due == 1002 + SOONEST
