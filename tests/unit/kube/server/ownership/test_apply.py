"""Server-side apply, one behaviour after the other. `test_apply_properties` has what holds for all objects."""

from __future__ import annotations

import copy

import pytest

from argosy.kube.errors import ApiError, Cause
from argosy.kube.objects import Object
from argosy.kube.schema import Struct
from argosy.kube.server.ownership import apply, own_update
from tests.unit.kube.server.ownership.samples import (
    CONFIG_MAP,
    DEPLOYMENT,
    LATER,
    NOW,
    SCHEMA,
    THEN,
    bare,
    config_map,
    deployment,
    owned,
    thing,
    times,
)


def applied(
    live: Object | None,
    intent: Object,
    manager: str,
    *,
    force: bool = False,
    time: str = NOW,
    schema: Struct = SCHEMA,
    subresource: str = "",
) -> Object:
    return apply(live, intent, schema, manager=manager, force=force, time=time, subresource=subresource)


def refused(live: Object | None, intent: Object, manager: str = "b", *, schema: Struct = SCHEMA) -> ApiError:
    with pytest.raises(ApiError) as caught:
        applied(live, intent, manager, schema=schema)
    return caught.value


def test_who_creates_by_apply_owns_what_it_applied_and_nothing_more() -> None:
    made = applied(None, thing({"text": "1", "set": ["b", "a"], "map": {"k": "v"}, "list": ["x"]}), "a")

    assert made["metadata"]["managedFields"] == [
        {
            "manager": "a",
            "operation": "Apply",
            "apiVersion": "e.io/v1",
            "time": NOW,
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:spec": {
                    "f:list": {},
                    "f:map": {"f:k": {}},
                    "f:set": {'v:"a"': {}, 'v:"b"': {}},
                    "f:text": {},
                }
            },
        }
    ]
    assert bare(made) == thing({"text": "1", "set": ["b", "a"], "map": {"k": "v"}, "list": ["x"]})


def test_items_are_known_by_their_keys_and_a_default_counts_as_said() -> None:
    made = applied(None, thing({"items": [{"id": 10, "value": "1"}, {"id": 9, "kind": "L"}]}), "a")

    fields = owned(made)["a"]["f:spec"]["f:items"]
    assert fields == {
        'k:{"id":9,"kind":"L"}': {".": {}, "f:id": {}, "f:kind": {}},
        'k:{"id":10,"kind":"K"}': {".": {}, "f:id": {}, "f:value": {}},
    }
    assert next(iter(fields)) == 'k:{"id":9,"kind":"L"}', "numbers are sorted as numbers"


def test_applying_the_same_again_changes_nothing_not_even_the_time() -> None:
    made = applied(None, thing({"text": "1", "items": [{"id": 1}]}), "a", time=THEN)

    assert applied(made, thing({"text": "1", "items": [{"id": 1}]}), "a", time=LATER) == made


def test_a_field_that_its_applier_gives_up_goes_away() -> None:
    made = applied(
        None, thing({"text": "1", "map": {"k": "v", "l": "w"}, "items": [{"id": 1}, {"id": 2}]}), "a"
    )

    left = applied(made, thing({"map": {"k": "v"}, "items": [{"id": 2}]}), "a")

    assert left["spec"] == {"map": {"k": "v"}, "items": [{"id": 2}]}


@pytest.mark.parametrize("other", ["apply", "update"])
def test_a_field_that_somebody_else_owns_too_stays(other: str) -> None:
    made = applied(None, thing({"text": "1", "number": 1}), "a")
    if other == "apply":
        shared = applied(made, thing({"text": "1"}), "b")
    else:
        shared = copy.deepcopy(made)
        shared["metadata"]["managedFields"].append(
            {**made["metadata"]["managedFields"][0], "manager": "b", "operation": "Update"}
        )

    left = applied(shared, thing(), "a")

    assert left["spec"]["text"] == "1"
    assert "a" not in owned(left)


def test_what_nobody_owns_goes_only_with_its_item() -> None:
    made = applied(None, thing({"items": [{"id": 1, "value": "1"}, {"id": 2, "value": "1"}]}), "a")
    made["spec"]["items"][0]["tags"] = ["unowned"]
    made["spec"]["items"][1]["tags"] = ["unowned"]

    left = applied(made, thing({"items": [{"id": 1}]}), "a")

    assert left["spec"]["items"] == [{"id": 1, "tags": ["unowned"]}]


def test_two_appliers_share_a_value_that_they_agree_on() -> None:
    made = applied(None, thing({"text": "1"}), "a", time=THEN)

    shared = applied(made, thing({"text": "1"}), "b", time=LATER)

    assert owned(shared) == {"a": {"f:spec": {"f:text": {}}}, "b": {"f:spec": {"f:text": {}}}}
    assert times(shared) == {"a": THEN, "b": ""}, "the object did not change when b came"


def test_another_value_is_a_conflict_that_names_owner_and_field() -> None:
    made = applied(None, thing({"text": "1"}), "a")

    error = refused(made, thing({"text": "2"}))

    assert (error.code, error.reason) == (409, "Conflict")
    assert error.message == 'Apply failed with 1 conflict: conflict with "a": .spec.text'
    assert error.causes == (Cause("FieldManagerConflict", 'conflict with "a"', ".spec.text"),)


def test_conflicts_are_told_by_manager_with_how_each_came_to_own() -> None:
    made = applied(None, thing({"text": "1", "items": [{"id": 1, "value": "1"}], "set": ["a"]}), "a")
    new = copy.deepcopy(made)
    new["spec"]["number"] = 1
    new["status"] = {"phase": "1"}
    own_update(new, made, SCHEMA, manager="ctl", subresource="", time=NOW)
    scaled = copy.deepcopy(new)
    scaled["spec"]["one"] = {"x": "1"}
    own_update(scaled, new, SCHEMA, manager="hpa", subresource="scale", time=NOW)

    error = refused(
        scaled, thing({"text": "2", "items": [{"id": 1, "value": "2"}], "number": 2, "one": {"x": "2"}})
    )

    assert error.message == (
        "Apply failed with 4 conflicts: "
        'conflicts with "a":\n- .spec.text\n- .spec.items[id=1,kind="K"].value\n'
        'conflicts with "ctl" using e.io/v1:\n- .spec.number\n'
        'conflicts with "hpa" with subresource "scale" using e.io/v1:\n- .spec.one'
    )
    assert [cause.message for cause in error.causes] == [
        'conflict with "a"',
        'conflict with "a"',
        'conflict with "ctl" using e.io/v1',
        'conflict with "hpa" with subresource "scale" using e.io/v1',
    ]


def test_force_takes_the_field_over() -> None:
    made = applied(None, thing({"text": "1", "number": 1}), "a", time=THEN)

    taken = applied(made, thing({"text": "2"}), "b", force=True, time=LATER)

    assert taken["spec"] == {"text": "2", "number": 1}
    assert owned(taken) == {"a": {"f:spec": {"f:number": {}}}, "b": {"f:spec": {"f:text": {}}}}
    assert times(taken) == {"a": THEN, "b": LATER}


def test_an_owner_who_has_nothing_left_is_no_longer_listed() -> None:
    made = applied(None, thing({"text": "1"}), "a")

    assert list(owned(applied(made, thing({"text": "2"}), "b", force=True))) == ["b"]


@pytest.mark.parametrize(
    ("live", "intent", "merged"),
    [
        ({"list": ["a", "b"]}, {"list": ["c"]}, {"list": ["c"]}),
        ({"set": ["a", "b"]}, {"set": ["c"]}, {"set": ["a", "b", "c"]}),
        ({"set": ["a", "b", "c"]}, {"set": ["c", "a"]}, {"set": ["b", "c", "a"]}),
        ({"map": {"a": "1"}}, {"map": {"b": "2"}}, {"map": {"a": "1", "b": "2"}}),
        ({"one": {"a": "1"}}, {"one": {"b": "2"}}, {"one": {"b": "2"}}),
        ({"free": {"a": {"x": 1}}}, {"free": {"a": {"y": 2}}}, {"free": {"a": {"x": 1, "y": 2}}}),
        ({"free": {"a": [1]}}, {"free": {"a": [2]}}, {"free": {"a": [2]}}),
        ({"any": {"a": 1}}, {"any": 5}, {"any": 5}),
        ({"items": [{"id": 1, "value": "1"}]}, {"items": [{"id": 1, "tags": ["a"]}, {"id": 2}]},
         {"items": [{"id": 1, "value": "1", "tags": ["a"]}, {"id": 2}]}),
        ({"items": [{"id": 1}]}, {"items": [{"id": 1, "kind": "L"}]},
         {"items": [{"id": 1}, {"id": 1, "kind": "L"}]}),
        ({"map": {"a": "1"}}, {"map": {}}, {"map": {"a": "1"}}),
        ({"text": "1"}, {"text": None}, {"text": None}),
    ],
)  # fmt: skip
def test_each_form_of_field_is_merged_in_its_own_way(live: Object, intent: Object, merged: Object) -> None:
    made = thing(live)

    assert applied(made, thing(intent), "a", force=True)["spec"] == merged


@pytest.mark.parametrize(
    ("live", "intent", "merged"),
    [
        ("abcd", "db", "acdb"),
        ("abcd", "xb", "axbcd"),
        ("abcd", "dxa", "bcdxa"),
        ("abc", "cxay", "bcxay"),
        ("ab", "xyab", "xyab"),
        ("abcde", "edcba", "edcba"),
        ("abcde", "bxd", "abcxde"),
        ("abc", "xyz", "abcxyz"),
        ("abcde", "adxc", "abdexc"),
        ("axbyc", "cba", "xycba"),
        ("aba", "b", "aba"),
    ],
)
def test_the_appliers_order_counts_among_its_items(live: str, intent: str, merged: str) -> None:
    new = applied(thing({"set": list(live)}), thing({"set": list(intent)}), "a", force=True)

    assert "".join(new["spec"]["set"]) == merged


@pytest.mark.parametrize(
    ("before", "after", "theirs", "ours"),
    [
        (None, {"a": 1}, {}, {"f:a": {}}),
        ({"a": 1}, None, {"f:a": {}}, {}),
        (5, {"a": 1}, None, {"f:a": {}}),
        ({"a": 1}, 5, None, {}),
        (None, 5, None, {}),
        (None, {}, None, {}),
        ({"a": 1}, [1], None, {}),
        ([1], {"a": 1}, None, {"f:a": {}}),
        ([1], None, None, {}),
    ],
)
def test_a_free_value_may_become_anything_else(
    before: object, after: object, theirs: Object | None, ours: Object
) -> None:
    made = applied(None, thing({"any": before}), "a")

    taken = owned(applied(made, thing({"any": after}), "b", force=True))

    assert taken["b"] == {"f:spec": {"f:any": ours}}
    assert taken.get("a") == (None if theirs is None else {"f:spec": {"f:any": theirs}})


def test_an_atomic_value_has_one_owner() -> None:
    made = applied(None, thing({"one": {"a": "1"}, "list": ["a"]}), "a")

    assert owned(made)["a"] == {"f:spec": {"f:list": {}, "f:one": {}}}
    assert [
        cause.field for cause in refused(made, thing({"one": {"b": "1"}, "list": ["a", "b"]})).causes
    ] == [
        ".spec.list",
        ".spec.one",
    ]


def test_the_first_apply_to_an_object_without_owners_meets_what_was_there_before() -> None:
    made = thing({"text": "1", "number": 1})

    first = applied(made, thing({"text": "1"}), "a")

    assert owned(first) == {
        "before-first-apply (Update)": {"f:spec": {".": {}, "f:number": {}, "f:text": {}}},
        "a": {"f:spec": {"f:text": {}}},
    }
    assert refused(made, thing({"text": "2"})).message == (
        'Apply failed with 1 conflict: conflict with "before-first-apply" using e.io/v1: .spec.text'
    )


def test_a_null_is_applied_and_owned() -> None:
    made = applied(None, thing({"text": "1"}), "a")

    emptied = applied(made, thing({"text": None}), "a")

    assert emptied["spec"] == {"text": None}
    assert owned(emptied)["a"] == {"f:spec": {"f:text": {}}}


def test_identity_is_never_owned() -> None:
    intent = config_map(a="1")
    intent["metadata"] |= {"namespace": "default", "uid": "u", "labels": {"x": "1"}}

    made = applied(None, intent, "a", schema=CONFIG_MAP)

    assert owned(made)["a"] == {"f:data": {"f:a": {}}, "f:metadata": {"f:labels": {"f:x": {}}}}


def test_the_status_is_owned_only_through_its_own_address() -> None:
    said = {**deployment(replicas=1), "status": {"replicas": 1}}

    whole = applied(None, said, "a", schema=DEPLOYMENT)
    status = applied(whole, said, "b", schema=DEPLOYMENT, subresource="status", force=True)

    assert owned(whole)["a"] == {"f:spec": {"f:replicas": {}}}
    assert owned(status)["b"] == {"f:status": {"f:replicas": {}}}
    assert [entry.get("subresource") for entry in status["metadata"]["managedFields"]] == ["status", None]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"nope": 1}, ".spec.nope: field not declared in schema"),
        ({"text": 5}, ".spec.text: expected string, got &value.valueUnstructured{Value:5}"),
        ({"number": "5"}, ".spec.number: expected numeric (int or float), got string"),
        ({"map": ["x"]}, ".spec.map: expected map, got &{[x]}"),
        ({"list": {"a": "x"}}, ".spec.list: expected list, got &{map[a:x]}"),
        ({"list": [1]}, ".spec.list[0]: expected string, got &value.valueUnstructured{Value:1}"),
        ({"set": ["a", "a"]}, '.spec.set: duplicate entries for key [="a"]'),
        ({"set": [None]}, ".spec.set: element 0: associative list without keys has an element that's an explicit null"),
        ({"items": [{"id": 1}, {"id": 1, "kind": "K"}]}, '.spec.items: duplicate entries for key [id=1,kind="K"]'),
        ({"items": ["x"]}, ".spec.items: element 0: associative list with keys may not have non-map elements"),
        ({"items": [{"id": 1, "value": True}]},
         '.spec.items[id=1,kind="K"].value: expected string, got &value.valueUnstructured{Value:true}'),
        ({"text": 5, "number": "5"},
         ("errors:\n  .spec.text: expected string, got &value.valueUnstructured{Value:5}"
         "\n  .spec.number: expected numeric (int or float), got string")),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_schema_is_refused(spec: Object, message: str) -> None:
    error = refused(None, thing(spec))

    assert error.code == 400
    assert error.message == f"failed to create typed patch object (/x; e.io/v1, Kind=Thing): {message}"


def test_owners_cannot_be_applied() -> None:
    intent = thing({})
    intent["metadata"]["managedFields"] = []

    assert refused(None, intent).message == "metadata.managedFields must be nil"


def test_another_kind_cannot_be_applied() -> None:
    assert refused(thing({}), config_map()).message == "invalid object type: /v1, Kind=ConfigMap"


def test_what_is_nested_too_deep_is_refused() -> None:
    deep: Object = {}
    for _ in range(5000):
        deep = {"a": deep}

    assert refused(None, thing({"free": deep})).code == 400


def test_the_result_shares_nothing_with_what_was_given() -> None:
    live = applied(None, thing({"map": {"a": "1"}, "items": [{"id": 1}]}), "a")
    intent = thing({"items": [{"id": 2, "tags": ["a"]}]})
    before = copy.deepcopy([live, intent])

    merged = applied(live, intent, "b")
    merged["spec"]["map"]["z"] = "1"
    merged["spec"]["items"][0]["value"] = merged["spec"]["items"][1]["value"] = "1"

    assert [live, intent] == before


def test_an_applier_of_an_old_version_goes_on_in_the_new_one() -> None:
    made = applied(None, thing({"text": "1", "number": 1}), "a")

    moved = applied(made, {**thing({"text": "1"}), "apiVersion": "e.io/v1"}, "a")
    other = apply(
        {**made, "apiVersion": "e.io/v2"},
        {**thing({"text": "1"}), "apiVersion": "e.io/v2"},
        SCHEMA,
        manager="a",
        force=False,
        time=LATER,
        convert=lambda obj, version: ({**obj, "apiVersion": version}, SCHEMA),
    )

    assert moved["spec"] == other["spec"] == {"text": "1"}
    assert [entry["apiVersion"] for entry in other["metadata"]["managedFields"]] == ["e.io/v2"]


def test_who_wrote_in_a_version_that_is_gone_owns_nothing() -> None:
    made = applied(None, thing({"text": "1"}), "a")

    taken = apply(
        {**made, "apiVersion": "e.io/v2"},
        {**thing({"text": "2"}), "apiVersion": "e.io/v2"},
        SCHEMA,
        manager="b",
        force=False,
        time=LATER,
        convert=lambda obj, version: None,
    )

    assert list(owned(taken)) == ["b"]
