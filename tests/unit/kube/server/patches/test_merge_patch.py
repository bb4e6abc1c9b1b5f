"""JSON merge patch: the laws, and the library's ways with null."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.server.patches import merge_patch

SCALARS = st.one_of(st.booleans(), st.integers(-5, 5), st.text(max_size=3))
NAMES = st.sampled_from("abc")
VALUES = st.recursive(
    SCALARS,
    lambda inside: st.one_of(st.lists(inside, max_size=2), st.dictionaries(NAMES, inside, max_size=3)),
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=3)
PATCHES = st.dictionaries(
    NAMES,
    st.recursive(
        st.one_of(st.none(), SCALARS),
        lambda inside: st.one_of(st.lists(SCALARS, max_size=2), st.dictionaries(NAMES, inside, max_size=3)),
    ),
    max_size=3,
)


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({}, {"a": [{"b": None, "c": 1}, None]}, {"a": [{"c": 1}, None]}),
        ({"a": {"x": 1}}, {"a": [{"b": None}]}, {"a": [{"b": None}]}),
        ({"a": {"x": 1}}, {}, {"a": {"x": 1}}),
    ],
)
def test_a_patch_says_what_changes(before: Any, patch: Any, after: Any) -> None:
    untouched = copy.deepcopy([before, patch])

    assert merge_patch(before, patch) == after
    assert [before, patch] == untouched


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (None, "Invalid JSON Patch"),
        (
            [],
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        (
            "x",
            "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}",
        ),
    ],
)
def test_what_is_no_object_is_no_patch(patch: object, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        merge_patch({}, patch)

    assert (caught.value.code, caught.value.message) == (400, message)


@given(OBJECTS)
def test_an_empty_patch_changes_nothing(obj: dict[str, Any]) -> None:
    assert merge_patch(obj, {}) == obj


@given(OBJECTS, PATCHES)
def test_patching_twice_is_patching_once(obj: dict[str, Any], patch: dict[str, Any]) -> None:
    once = merge_patch(obj, patch)

    assert merge_patch(once, patch) == once


@given(OBJECTS, OBJECTS)
def test_the_difference_of_two_objects_makes_one_of_the_other(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    assert merge_patch(old, _difference(old, new)) == new


def _difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    gone = {name: None for name in old if name not in new}
    return gone | {
        name: _difference(old[name], value)
        if isinstance(value, dict) and isinstance(old.get(name), dict)
        else value
        for name, value in new.items()
        if old.get(name) != value or type(old.get(name)) is not type(value) or isinstance(value, dict | list)
    }


def test_what_is_nested_too_deep_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}

    with pytest.raises(ApiError, match="exceeded max depth"):
        merge_patch({}, deep)
