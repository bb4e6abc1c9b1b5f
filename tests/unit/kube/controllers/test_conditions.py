"""Conditions: what moves with what."""

from __future__ import annotations

from argosy.kube.controllers.conditions import find, made, with_condition, without

OLD = {
    "type": "Ready",
    "status": "True",
    "reason": "Fine",
    "message": "all well",
    "lastTransitionTime": "2020-01-01T00:00:00Z",
}


def test_the_same_status_and_reason_change_nothing() -> None:
    assert with_condition([OLD], made("Ready", "True", "Fine", "other words")) == [OLD]


def test_another_reason_keeps_the_time_of_transition() -> None:
    [new] = with_condition([OLD], made("Ready", "True", "Better", ""))
    assert (new["reason"], new["lastTransitionTime"]) == ("Better", OLD["lastTransitionTime"])


def test_another_status_moves_the_time_of_transition() -> None:
    [new] = with_condition([OLD], made("Ready", "False", "Fine", ""))
    assert new["lastTransitionTime"] != OLD["lastTransitionTime"]


def test_words_count_where_they_are_said_to() -> None:
    found = with_condition([OLD], made("Ready", "True", "Fine", "other words"), words_count=True)
    assert find(found, "Ready") == {**OLD, "message": "other words"}


def test_a_condition_can_be_taken_away() -> None:
    assert without([OLD], "Ready") == []
