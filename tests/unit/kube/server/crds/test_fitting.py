from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.server.crds.checking import Check
from argosy.kube.server.crds.defaulting import default
from argosy.kube.server.crds.fitting import fitted
from argosy.kube.server.crds.shapes import Shape
from tests.unit.kube.server.crds.definitions import outcome, recorded, spec_of

HEAD = {"apiVersion": "example.com/v1", "kind": "Widget"}
TEXT: Object = {"type": "string"}


def fit(schema: Object, obj: Object) -> tuple[Object, list[str]]:
    found = fitted({**HEAD, **obj}, Shape(schema, root=True))
    return {name: part for name, part in found.obj.items() if name not in HEAD}, found.unknown


def test_what_the_schema_does_not_know_is_gone_and_told() -> None:
    schema = spec_of(a=TEXT, list={"type": "array", "items": {"type": "object", "properties": {"x": TEXT}}})
    body = {"spec": {"a": "1", "b": 2, "list": [{"x": "1", "y": 2}]}, "status": {}}
    made, unknown = fit(schema, body)
    assert made == {"spec": {"a": "1", "list": [{"x": "1"}]}}
    assert unknown == ["spec.b", "spec.list[0].y", "status"]


def test_metadata_is_everybody_s() -> None:
    made, unknown = fit(
        {"type": "object"}, {"metadata": {"name": "a", "labels": {}, "bogus": 1, "annotations": None}}
    )
    assert made == {"metadata": {"name": "a"}}
    assert unknown == ["metadata.bogus"]


@pytest.mark.parametrize("metadata", [5, "x", [1], {"labels": 5}, {"name": {}}, {"ownerReferences": "x"}])
def test_metadata_that_cannot_be_read_is_refused(metadata: object) -> None:
    with pytest.raises(ApiError, match="cannot unmarshal") as caught:
        fit({"type": "object"}, {"metadata": metadata})
    assert caught.value.code == 400


def test_what_is_stored_keeps_the_metadata_that_can_be_read() -> None:
    shape = Shape({"type": "object"}, root=True)
    body = {**HEAD, "metadata": {"name": "a", "labels": 5, "uid": "u"}}
    assert fitted(body, shape, lenient=True).obj["metadata"] == {"name": "a", "uid": "u"}


@pytest.mark.parametrize(
    ("schema", "given_value", "kept"),
    [
        ({"type": "string"}, None, "gone"),
        ({"type": "string", "nullable": True}, None, None),
        ({"x-kubernetes-preserve-unknown-fields": True}, {"a": None}, {"a": None}),
        ({"type": "object", "additionalProperties": True}, {"a": 1, "b": {"c": 1}}, {"a": 1, "b": {}}),
        ({"type": "object", "additionalProperties": TEXT}, {"a": "1", "b": None}, {"a": "1"}),
        ({"type": "object"}, {"a": 1}, {}),
        ({"type": "array", "items": TEXT}, [None, "a"], [None, "a"]),
        ({"type": "integer"}, 2**70, float(2**70)),
    ],
)
def test_nulls_maps_and_numbers(schema: Object, given_value: object, kept: object) -> None:
    made, _ = fit(spec_of(x=schema), {"spec": {"x": given_value}})
    assert made["spec"].get("x", "gone") == kept


def test_a_default_takes_the_place_of_what_is_missing_or_null() -> None:
    schema = spec_of(
        a={"type": "string", "default": "x"},
        b={"type": "string", "default": "x", "nullable": True},
        o={"type": "object", "default": {}, "properties": {"n": {"type": "integer", "default": 3}}},
        m={"type": "object", "additionalProperties": {"type": "object", "properties": {"d": {"default": 1}}}},
    )
    shape = Shape(schema, root=True)
    obj = {"spec": {"a": None, "b": None, "m": {"k": {}}}}
    default(obj, shape)
    assert obj == {"spec": {"a": "x", "b": None, "o": {"n": 3}, "m": {"k": {"d": 1}}}}


def test_each_object_gets_its_own_copy_of_a_default() -> None:
    shape = Shape(spec_of(o={"type": "object", "default": {"l": []}}), root=True)
    one: Object = {"spec": {}}
    other: Object = {"spec": {}}
    default(one, shape)
    default(other, shape)
    one["spec"]["o"]["l"].append(1)
    assert other == {"spec": {"o": {"l": []}}}


SCHEMA = recorded("objects.jsonl")[0]["definition"]["versions"][0]["schema"]["openAPIV3Schema"]
NAMES = st.sampled_from([*SCHEMA["properties"]["spec"]["properties"], "a", "k", "x", "metadata", "kind"])
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)


@given(spec=JSON)
def test_fitting_is_done_once_and_leaves_what_it_was_given_alone(spec: Any) -> None:
    shape = Shape(SCHEMA, root=True)
    body = {**HEAD, "metadata": {"name": "a"}, "spec": spec}
    before = copy.deepcopy(body)
    made, refused = outcome(lambda: fitted(body, shape).obj)
    assert body == before
    if refused is not None:
        return
    again = fitted(made, shape)
    assert (again.obj, again.unknown) == (made, [])
    default(made, shape)
    filled = copy.deepcopy(made)
    default(made, shape)
    assert made == filled


@given(old=JSON, new=JSON)
def test_any_value_is_judged_and_what_is_right_stays_so_whatever_was_before(old: Any, new: Any) -> None:
    check = Check(SCHEMA["properties"]["spec"])
    alone: list[Any] = []
    check.run(new, "spec", alone)
    changed: list[Any] = []
    check.inside(new, "spec", changed, old)
    assert not changed or alone
    unchanged: list[Any] = []
    check.inside(new, "spec", unchanged, new)
    assert len(unchanged) <= len(alone)
