"""The algebra of field sets, and the text form of their elements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.server.ownership.elements import BadElement, canonical, of_value, place, told
from argosy.kube.server.ownership.fieldset import (
    FieldSet,
    belongs,
    covers,
    difference,
    has,
    intersection,
    of_paths,
    ordered,
    parsed,
    paths,
    shown,
    union,
    without,
)

ELEMENTS = st.sampled_from(["f:a", "f:b", 'k:{"name":"x"}', 'k:{"port":80}', 'v:"x"', "v:1"])
MEMBERS = st.frozensets(st.lists(ELEMENTS, min_size=1, max_size=3).map(tuple), max_size=6)


def made(members: frozenset[tuple[str, ...]]) -> FieldSet:
    return of_paths(*members)


@given(MEMBERS)
def test_a_set_has_the_members_that_it_was_made_of(members: frozenset[tuple[str, ...]]) -> None:
    assert frozenset(paths(made(members))) == members
    assert all(has(made(members), path) for path in members)


@given(MEMBERS, MEMBERS)
def test_sets_of_fields_are_sets(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> None:
    ours, theirs = made(one), made(other)

    assert frozenset(paths(union(ours, theirs))) == one | other
    assert frozenset(paths(intersection(ours, theirs))) == one & other
    assert frozenset(paths(difference(ours, theirs))) == one - other
    assert covers(ours, theirs) == (other <= one)


@given(MEMBERS, MEMBERS)
def test_without_takes_what_lies_below_too(
    one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]
) -> None:
    left = {path for path in one if not any(path[: len(gone)] == gone for gone in other)}

    assert set(paths(without(made(one), made(other)))) == left


@given(MEMBERS, MEMBERS)
def test_operations_leave_their_operands_alone(
    one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]
) -> None:
    ours, theirs = made(one), made(other)
    for operation in (union, intersection, difference, without):
        operation(ours, theirs)

    assert (ours, theirs) == (made(one), made(other))


@given(MEMBERS)
def test_storing_and_reading_give_the_same_set(members: frozenset[tuple[str, ...]]) -> None:
    stored = ordered(made(members))

    assert parsed(stored) == made(members)
    assert ordered(parsed(stored)) == stored
    assert list(stored) == sorted(stored, key=place)


def test_a_member_without_anything_below_is_written_short() -> None:
    assert parsed({"f:a": {".": {}}, ".": {}}) == {"f:a": {}}
    assert parsed(None) == {}
    assert belongs(parsed({"f:a": None})["f:a"])


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("f:any.thing", "f:any.thing"),
        ('k:{"b":1,"a":"x"}', 'k:{"a":"x","b":1}'),
        ('k:{"port": 80.0}', 'k:{"port":80}'),
        ('v:"<&>"', 'v:"\\u003c\\u0026\\u003e"'),
        ("v:true", "v:true"),
        ("v:1e2", "v:100"),
        ("i:+5", "i:5"),
        ("x:later", ""),
    ],
)
def test_elements_have_one_form(written: str, stored: str) -> None:
    assert canonical(written) == stored


@pytest.mark.parametrize("written", ["", "f", "name", "k:", "k:[]", "v:", "v:nope", "v:NaN", "i:x", "i:"])
def test_what_is_no_element_is_refused(written: str) -> None:
    with pytest.raises(BadElement):
        canonical(written)


def test_paths_are_told_as_people_read_them() -> None:
    path = ("f:spec", 'k:{"name":"web","port":80}', "f:args", 'v:"a\\"b"', "i:0")

    assert shown(path) == '.spec[name="web",port=80].args[="a\\"b"][0]'


def test_members_come_by_level_and_in_order() -> None:
    fields = parsed({"v:10": {}, "v:9": {}, 'v:"a"': {}, 'k:{"a":2}': {}, "f:b": {"f:c": {}}, "f:a": {}})

    assert [shown(path) for path in paths(fields)] == [".a", "[a=2]", "[=9]", "[=10]", '[="a"]', ".b.c"]


@given(st.one_of(st.text(), st.integers(), st.floats(), st.booleans()))
def test_any_scalar_can_be_an_item_of_a_set(value: object) -> None:
    element = of_value(value)

    assert canonical(element) == element
    assert told(element).startswith("[=")
    assert place(element) == place(canonical(element))
