"""Durations, retries, conditions, patches: the arithmetic around an application."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.argo.cd.applications.conditions import evaluated
from argosy.argo.cd.applications.durations import seconds
from argosy.argo.cd.applications.retrying import is_left, next_attempt
from argosy.argo.cd.applications.unsupported import unknown
from argosy.argo.cd.applications.writing import merge_patch
from argosy.contracts.argo.operation import Retry
from argosy.contracts.argo.status import Condition
from argosy.kube.objects import Object

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("5s", 5),
        ("1h30m", 5400),
        ("500ms", 0.5),
        ("2m", 120),
        (".5s", 0.5),
        ("1.5h", 5400),
        ("-1s", -1),
    ],
)
def test_durations_are_as_go_writes_them(text: str, value: float) -> None:
    assert seconds(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "s", "5 s", "5d", "1h30", "abc"])
def test_what_is_no_duration_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match="invalid duration"):
        seconds(text)


@pytest.mark.parametrize(
    ("strategy", "attempts", "wait"),
    [
        (None, 0, 5),
        (None, 3, 40),
        (None, 20, 180),
        ({"backoff": {"duration": "1s", "factor": 3}}, 2, 9),
        ({"backoff": {"duration": "10s", "maxDuration": "15s"}}, 4, 15),
        ({"backoff": {"duration": "2"}}, 0, 2),
    ],
)
def test_pauses_grow_and_end_somewhere(strategy: Object | None, attempts: int, wait: float) -> None:
    retry = msgspec.convert(strategy, Retry) if strategy is not None else None
    assert next_attempt(retry, NOW, attempts) == NOW + timedelta(seconds=wait)


def test_limits_count_attempts_and_a_negative_one_none() -> None:
    assert [is_left(Retry(limit=2), attempts) for attempts in range(4)] == [True, True, False, False]
    assert is_left(Retry(limit=-1), 1000)
    assert not is_left(None, 0)
    assert not is_left(Retry(), 0)


def test_a_condition_keeps_its_time_while_it_says_the_same() -> None:
    before = [
        Condition(type="SyncError", message="a", last_transition_time="then"),
        Condition(type="ComparisonError", message="gone", last_transition_time="then"),
        Condition(type="DeletionError", message="other", last_transition_time="then"),
    ]
    found = [Condition(type="SyncError", message="a"), Condition(type="SyncError", message="b")]
    after = evaluated(before, found, {"SyncError", "ComparisonError"}, "now")
    assert [(one.type, one.message, one.last_transition_time) for one in after] == [
        ("DeletionError", "other", "then"),
        ("SyncError", "a", "then"),
        ("SyncError", "b", "now"),
    ]


def test_fields_that_nobody_knows_are_named_with_their_place() -> None:
    spec = {
        "project": "a",
        "destination": {"server": "x", "cluster": "y"},
        "sources": [
            {"repoURL": "u"},
            {"repoURL": "u", "helm": {"valueFile": "x", "valuesObject": {"any": 1}}},
        ],
        "syncPolicies": {},
    }
    assert unknown(spec) == [
        "spec.destination.cluster is unknown and has no effect",
        "spec.sources[1].helm.valueFile is unknown and has no effect",
        "spec.syncPolicies is unknown and has no effect",
    ]


_VALUES = st.recursive(
    st.integers(0, 3) | st.text("ab", max_size=2) | st.lists(st.integers(0, 2), max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=8,
)
_OBJECTS = st.dictionaries(st.sampled_from("abcd"), _VALUES, max_size=4)


@given(_OBJECTS, _OBJECTS)
def test_a_patch_makes_the_one_of_the_other(before: Object, after: Object) -> None:
    change = merge_patch(before, after)
    assert _patched(before, change) == after
    assert bool(change) == (before != after)


def _patched(before: object, change: Object) -> Object:
    """As RFC 7386 says."""
    found = dict(before) if isinstance(before, dict) else {}
    for name, value in change.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, dict):
            found[name] = _patched(found.get(name), value)
        else:
            found[name] = value
    return found
