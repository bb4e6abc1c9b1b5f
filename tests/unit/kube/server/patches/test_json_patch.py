"""JSON patch, with the liberties and limits of the API server."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.server.patches import json_patch, unknown_fields

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=3)),
    lambda inside: st.one_of(
        st.lists(inside, max_size=3), st.dictionaries(st.text(max_size=3), inside, max_size=3)
    ),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.text(max_size=3), JSON, max_size=4)


def op(kind: str, path: str, **more: object) -> dict[str, object]:
    return {"op": kind, "path": path, **more}


@pytest.mark.parametrize(
    ("before", "operations", "after"),
    [
        ({}, [op("add", "/a", value=1)], {"a": 1}),
        ({"a": [1, 3]}, [op("add", "/a/1", value=2)], {"a": [1, 2, 3]}),
        ({"a": [1]}, [op("add", "/a/-", value=2)], {"a": [1, 2]}),
        ({"a": [1]}, [op("add", "/a/-1", value=2)], {"a": [1, 2]}),
        ({"a": [1, 2]}, [op("remove", "/a/-1")], {"a": [1]}),
        ({"a": 1}, [op("replace", "/b", value=2)], {"a": 1, "b": 2}),
        ({"a": 1}, [op("replace", "", value={"b": 1})], {"b": 1}),
        ({"a": 1}, [op("add", "/b")], {"a": 1, "b": None}),
        ({"a": {"b": 1}}, [op("move", "/c", **{"from": "/a/b"})], {"a": {}, "c": 1}),
        ({"a": {"b": 1}}, [op("copy", "/a/c", **{"from": "/a"})], {"a": {"b": 1, "c": {"b": 1}}}),
        ({"a": 1}, [op("copy", "/b", **{"from": "/nothing"})], {"a": 1, "b": None}),
        ({"a/b": {"c~d": 1}}, [op("remove", "/a~1b/c~0d")], {"a/b": {}}),
        ({"": 1}, [op("remove", "/")], {}),
        ({"a": [1, {"b": None}]}, [op("test", "/a", value=[1, {"b": None}])], {"a": [1, {"b": None}]}),
        ({"a": 1}, [op("test", "/b", value=None)], {"a": 1}),
        ({"a": 1}, [op("test", "", value={"a": 1})], {"a": 1}),
        ({"a": 1}, None, {"a": 1}),
    ],
)  # fmt: skip
def test_operations_do_what_they_say(before: dict[str, object], operations: object, after: object) -> None:
    untouched = copy.deepcopy(before)

    assert json_patch(before, operations) == after
    assert before == untouched


@pytest.mark.parametrize(
    "operation",
    [
        op("test", "/a", value=2),
        op("test", "/a", value=True),
        op("test", "/a", value=1.0),
        op("test", "/list/5", value=1),
        op("remove", "/nothing"),
        op("remove", "/list/2"),
        op("remove", "/list/-3"),
        op("remove", "/list/x"),
        op("remove", ""),
        op("add", "", value={}),
        op("add", "/a/b", value=1),
        op("add", "/none/b", value=1),
        op("add", "/list/4", value=1),
        op("add", "/list/" + "9" * 30, value=1),
        op("add", "no slash", value=1),
        op("replace", "/list/9", value=1),
        op("replace", "", value=5),
        op("move", "/b", **{"from": "/nothing"}),
        op("move", "/b"),
        op("copy", "/nothing/b", **{"from": "/a"}),
        op("fly", "/a"),
        {"path": "/a"},
        {"op": "remove"},
        None,
    ],
)
def test_what_does_not_apply_is_refused_without_saying_why(operation: object) -> None:
    with pytest.raises(ApiError) as caught:
        json_patch({"a": 1, "list": [1, 2], "none": None}, [operation])

    assert (caught.value.code, caught.value.reason) == (422, "Invalid")
    assert caught.value.message == "the server rejected our request due to an error in our request"


@pytest.mark.parametrize(
    ("operations", "message"),
    [
        ({"op": "add"}, "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
        ("x", "json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp"),
        ([1], "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"),
        ([{"op": 1}], "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string"),
        ([{"op": "add", "path": []}], "json: cannot unmarshal array into Go struct field jsonPatchOp.path of type string"),
    ],
)  # fmt: skip
def test_what_is_no_json_patch_is_a_bad_request(operations: object, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        json_patch({}, operations)

    assert (caught.value.code, caught.value.message) == (400, f"error decoding patch: {message}")


def test_no_more_than_ten_thousand_operations() -> None:
    most = [op("add", "/a", value=1)] * 10_000

    assert json_patch({}, most) == {"a": 1}
    with pytest.raises(ApiError) as caught:
        json_patch({}, [*most, op("remove", "/a")])
    assert (caught.value.code, caught.value.reason) == (413, "RequestEntityTooLarge")
    assert caught.value.message == (
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    )


def test_copies_that_would_double_the_object_without_end_are_refused() -> None:
    bomb = [op("copy", f"/a/c{at}", **{"from": "/a"}) for at in range(60)]

    with pytest.raises(ApiError) as caught:
        json_patch({"a": {"b": "x" * 100}}, bomb)

    assert caught.value.code == 422


def test_the_result_must_be_an_object() -> None:
    with pytest.raises(ApiError, match=r"is invalid: patch: Invalid value"):
        json_patch({"a": 1}, [op("replace", "", value=[1])])


def test_unknown_fields_of_an_operation_are_told() -> None:
    assert unknown_fields([op("add", "/a", value=1), {**op("remove", "/a"), "why": "so"}]) == [
        'json patch unknown field "[1].why"'
    ]
    assert unknown_fields("nonsense") == []


@given(OBJECTS, st.text(max_size=3), JSON)
def test_what_was_added_can_be_tested_and_removed(obj: dict[str, object], name: str, value: object) -> None:
    path = "/" + name.replace("~", "~0").replace("/", "~1")
    without = {key: below for key, below in obj.items() if key != name}

    added = json_patch(obj, [op("add", path, value=value), op("test", path, value=value)])

    assert added == {**obj, name: value}
    assert json_patch(added, [op("remove", path)]) == without


@given(OBJECTS, JSON)
def test_nonsense_is_refused_and_nothing_worse(obj: dict[str, object], patch: object) -> None:
    for operations in (patch, [patch], [{"op": "add", "path": "/a", "value": patch}, patch]):
        assert answered(obj, operations) in {200, 400, 422}


def answered(obj: dict[str, object], operations: object) -> int:
    try:
        json_patch(obj, operations)
    except ApiError as error:
        return error.code
    return 200
