"""What holds for whatever anybody applies, in any order."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.server.ownership import apply
from argosy.kube.server.ownership.fieldset import covers, difference, intersection, parsed, union
from argosy.kube.server.ownership.leaves import fields_of
from argosy.kube.server.ownership.shapes import root
from argosy.kube.server.ownership.update import NEVER_OWNED
from tests.unit.kube.server.ownership.samples import FIELDS, LATER, NOW, SCHEMA, SPECS, THINGS, owned, thing

SHAPE = root(SCHEMA)
STEPS = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), THINGS), min_size=1, max_size=6)

TYPED = SPECS.map(lambda spec: thing({name: spec[name] for name in spec if name not in {"any", "free"}}))
"""Where a scalar takes the place of a map, what was in the map goes without a conflict."""


def forced(live: Object | None, intent: Object, manager: str, time: str = NOW) -> Object:
    return apply(live, intent, SCHEMA, manager=manager, force=True, time=time)


def fields(obj: Object) -> Object:
    return difference(fields_of(SHAPE, obj), NEVER_OWNED)


@given(STEPS)
def test_every_field_has_an_owner_and_every_owner_has_its_fields(steps: list[tuple[str, Object]]) -> None:
    live: Object | None = None
    for manager, intent in steps:
        live = forced(live, intent, manager)
        everybody: Object = {}
        for name, theirs in owned(live).items():
            everybody = union(everybody, theirs)
            assert covers(fields(live), theirs), f"{name} owns what is not there"
        assert covers(everybody, fields(live)), "nobody owns a field that was applied"
        assert owned(live).get(manager, {}) == fields(intent)


@given(STEPS)
def test_to_apply_twice_is_to_apply_once(steps: list[tuple[str, Object]]) -> None:
    live: Object | None = None
    for manager, intent in steps:
        live = forced(live, intent, manager)
        assert forced(live, intent, manager, LATER) == live


@given(THINGS, STEPS)
def test_what_was_applied_is_there(first: Object, steps: list[tuple[str, Object]]) -> None:
    live = forced(None, first, "first")
    for manager, intent in steps:
        live = forced(live, intent, manager)
        assert covers(fields(live), fields(intent))


@given(SPECS, st.permutations(sorted(FIELDS)), st.integers(1, 4), st.randoms(use_true_random=False))
def test_who_applies_apart_never_meets_in_whatever_order(
    spec: Object, names: list[str], many: int, random: object
) -> None:
    parts = [
        thing({name: spec[name] for name in names[at::many] if name in spec} | {"always": "here"})
        for at in range(many)
    ]

    def all_in(order: list[int]) -> Object:
        live: Object | None = None
        for at in order:
            live = apply(live, parts[at], SCHEMA, manager=f"m{at}", force=False, time=NOW)
        assert live is not None
        return live

    one, other = all_in(list(range(many))), all_in(list(reversed(range(many))))

    assert owned(one) == owned(other)
    assert one.get("spec", {}) == other.get("spec", {})


@given(TYPED, TYPED)
def test_a_conflict_is_told_exactly_when_an_owned_value_would_change(first: Object, second: Object) -> None:
    live = apply(None, first, SCHEMA, manager="a", force=False, time=NOW)
    taken = forced(live, second, "b")
    lost = difference(owned(live).get("a", {}), owned(taken).get("a", {}))

    try:
        apply(live, second, SCHEMA, manager="b", force=False, time=NOW)
        told = 0
    except ApiError as error:
        told = len(error.causes)

    assert bool(told) == bool(intersection(lost, fields(second))) == bool(lost)


@given(STEPS)
def test_owners_are_stored_as_they_are_read(steps: list[tuple[str, Object]]) -> None:
    live: Object | None = None
    for manager, intent in steps:
        live = forced(live, intent, manager)
        for theirs in owned(live).values():
            assert parsed(json.loads(json.dumps(theirs))) == theirs
