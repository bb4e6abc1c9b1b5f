"""Whatever clients send: an answer of the API, never an accident of ours."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.server.ownership import apply, own_update
from tests.unit.kube.server.ownership.samples import DEPLOYMENT, NOW, SCHEMA, SPECS, THINGS, thing

JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4)),
    lambda inside: st.one_of(
        st.lists(inside, max_size=3), st.dictionaries(st.text(max_size=4), inside, max_size=3)
    ),
    max_leaves=10,
)
ELEMENTS = st.one_of(
    st.sampled_from([".", "f:spec", "f:set", 'v:"a"', "v:[", "k:{}", 'k:{"id":1e999}', "i:1", "i:x"]),
    st.text(),
)
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {
            "manager": st.one_of(st.text(max_size=3), JUNK),
            "operation": st.sampled_from(["Apply", "Update", "x"]),
            "apiVersion": st.sampled_from(["e.io/v1", "v0", ""]),
            "fieldsType": st.sampled_from(["FieldsV1", ""]),
            "fieldsV1": st.recursive(JUNK, lambda inside: st.dictionaries(ELEMENTS, inside, max_size=3), max_leaves=6),
        }
    ),
    max_size=3,
)  # fmt: skip


def only_refused(live: Any, intent: Any, schema: Any = SCHEMA) -> None:
    assert answered(live, intent, schema) in {200, 400}


def answered(live: Any, intent: Any, schema: Any) -> int:
    try:
        apply(live, intent, schema, manager="a", force=True, time=NOW)
    except ApiError as error:
        return error.code
    return 200


@given(THINGS, st.sampled_from(["apiVersion", "kind", "metadata", "spec", "status", "other"]), JUNK)
def test_an_apply_of_anything_is_answered(live: Any, name: str, junk: object) -> None:
    only_refused(None, {**thing(), name: junk})
    only_refused(live, {**thing(), name: junk})
    only_refused(None, {**thing(), "apiVersion": "apps/v1", "kind": "Deployment", name: junk}, DEPLOYMENT)


@given(THINGS, SPECS.flatmap(lambda spec: st.tuples(st.just(spec), st.sampled_from(sorted(spec)), JUNK)))
def test_an_apply_of_a_broken_field_is_answered(live: Any, broken: Any) -> None:
    spec, name, junk = broken

    only_refused(live, thing({**spec, name: junk}))


@given(THINGS, THINGS, st.one_of(JUNK, ENTRIES))
def test_owners_of_any_form_do_no_harm(old: Any, new: Any, entries: object) -> None:
    own_update(old, None, SCHEMA, manager="a", time=NOW)
    new["metadata"]["managedFields"] = entries
    sent = copy.deepcopy(new)

    own_update(new, old, SCHEMA, manager="b", time=NOW)

    assert {**new, "metadata": 0} == {**sent, "metadata": 0}
    only_refused(new, thing({"text": "1"}))
