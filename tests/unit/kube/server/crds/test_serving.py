"""One version of a CRD as the registry serves it: its rules, its nodes, what it publishes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.objects import Object
from argosy.kube.schema import List, Map, Scalar, Struct, Untyped
from argosy.kube.server.crds import published
from argosy.kube.server.crds.version_order import priority
from tests.unit.kube.server.crds.definitions import (
    Refused,
    created,
    definition,
    outcome,
    refuse,
    spec_of,
    versions_served,
)

TEXT: Object = {"type": "string"}
META = {"name": "a", "namespace": "default", "resourceVersion": "1", "generation": 4}


def serve(schema: Object | None = None, **version: Any) -> Any:
    return versions_served(definition(schema, **version))["v1"]


def test_without_a_status_of_its_own_every_change_counts() -> None:
    rules = serve({"type": "object", "x-kubernetes-preserve-unknown-fields": True}).rules
    old: Object = {"metadata": dict(META), "spec": {"a": 1}, "status": {"b": 1}}
    for change, generation in (
        ({"status": {"b": 2}}, 5),
        ({"other": 1}, 5),
        ({"metadata": {**META, "labels": {}}}, 4),
    ):
        new = {**old, "metadata": dict(META), **change}
        rules.prepare_update(new, old)
        assert new["metadata"]["generation"] == generation


def test_with_a_status_of_its_own_each_write_leaves_the_other_alone() -> None:
    rules = serve(spec_of(a={"type": "integer"}), subresources={"status": {}}).rules
    old: Object = {"metadata": dict(META), "spec": {"a": 1}, "status": {"b": 1}}
    new: Object = {"metadata": dict(META), "spec": {"a": 2}, "status": {"b": 2}}

    written = {**new, "metadata": dict(META)}
    rules.prepare_update(written, old)
    assert (written["spec"], written["status"], written["metadata"]["generation"]) == ({"a": 2}, {"b": 1}, 5)

    told = {**new, "metadata": dict(META)}
    rules.prepare_status(told, old)
    assert (told["spec"], told["status"], told["metadata"]["generation"]) == ({"a": 1}, {"b": 2}, 4)

    made, _ = created(serve(spec_of(), subresources={"status": {}}), {"status": {"b": 1}})
    assert "status" not in made
    assert made["metadata"]["generation"] == 1


def test_replicas_are_found_where_the_definition_says() -> None:
    scale = {
        "specReplicasPath": ".spec.size",
        "statusReplicasPath": ".status.n",
        "labelSelectorPath": ".status.sel",
    }
    schema = spec_of(size={"x-kubernetes-preserve-unknown-fields": True})
    one = serve(schema, subresources={"status": {}, "scale": scale})
    assert one.scale is not None
    assert one.scale == (("spec", "size"), ("status", "n"), ("status", "sel"))
    assert set(one.resource.subresources) == {"status", "scale"}

    with pytest.raises(Refused) as caught:
        created(one, {"spec": {"size": -1}})
    assert caught.value.causes == [
        ["FieldValueInvalid", "Invalid value: -1: should be a non-negative integer", ".spec.size"]
    ]
    with pytest.raises(Refused, match="accessor error: x is of the type string, expected int64"):
        created(one, {"spec": {"size": "x"}})


def test_fields_of_its_own_can_be_selected() -> None:
    schema = spec_of(colour=TEXT, on={"type": "boolean"}, size={"type": "integer"})
    fields = [{"jsonPath": f".spec.{name}"} for name in ("colour", "on", "size")]
    rules = serve(schema, selectableFields=fields).rules
    assert rules.field_names == {"spec.colour", "spec.on", "spec.size"}
    assert rules.fields({"spec": {"colour": "red", "on": True}}) == {
        "spec.colour": "red",
        "spec.on": "true",
        "spec.size": "",
    }


@pytest.mark.parametrize(
    ("finalizer", "words"),
    [
        ("example.com/hold", ""),
        ("orphan", ""),
        ("hold", "prefer a domain-qualified finalizer name to avoid"),
        ("example.com", "prefer a domain-qualified finalizer name including a path (/) to avoid"),
    ],
)
def test_a_new_finalizer_without_a_domain_is_warned_of(finalizer: str, words: str) -> None:
    rules = serve().rules
    obj = {"metadata": {"finalizers": [finalizer]}}
    assert [words in one for one in rules.warnings(obj, None)] == [True] * bool(words)
    assert rules.warnings(obj, obj) == []


def test_the_nodes_say_what_is_owned_as_one() -> None:
    item = {
        "type": "object",
        "required": ["k"],
        "properties": {"k": TEXT, "p": {"type": "integer", "default": 1}},
    }
    schema = spec_of(
        text=TEXT,
        either={"x-kubernetes-int-or-string": True},
        words={"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
        map={
            "type": "array",
            "items": item,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k", "p"],
        },
        plain={"type": "array", "items": TEXT},
        labels={"type": "object", "additionalProperties": TEXT},
        whole={"type": "object", "properties": {"a": TEXT}, "x-kubernetes-map-type": "atomic"},
        free={"x-kubernetes-preserve-unknown-fields": True},
        open={"type": "object", "properties": {"a": TEXT}, "x-kubernetes-preserve-unknown-fields": True},
    )
    root = serve(schema).schema
    assert set(root.fields) == {"apiVersion", "kind", "metadata", "spec"}
    assert root.fields["metadata"].node.name == "meta.v1.ObjectMeta"
    spec = root.fields["spec"].node.fields
    assert spec["text"].node == Scalar("string")
    assert spec["either"].node == Scalar("IntOrString")
    assert spec["words"].node == List(Scalar("string"), "set")
    listed = spec["map"].node
    assert (listed.type, listed.keys, listed.key_defaults) == ("map", ("k", "p"), {"p": 1})
    assert isinstance(listed.item, Struct)
    assert spec["plain"].node == List(Scalar("string"))
    assert spec["labels"].node == Map(Scalar("string"))
    assert spec["whole"].node.atomic
    assert spec["free"].node == Untyped()
    assert spec["open"].node.open
    assert spec.get("nothing") is None


def test_columns_are_those_of_the_definition_or_the_age() -> None:
    assert [column.name for column in serve().columns] == ["Age"]
    given = [{"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": 1}]
    (column,) = serve(additionalPrinterColumns=given).columns
    told = "Custom resource definition column (in JSONPath format): .spec.size"
    assert (column.name, column.type, column.path, column.priority, column.description) == (
        "Size",
        "integer",
        ".spec.size",
        1,
        told,
    )


SCHEMA = spec_of(
    either={"x-kubernetes-int-or-string": True},
    null={"type": "string", "nullable": True, "default": "x"},
    free={"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": TEXT}},
    one={"type": "object", "properties": {"a": TEXT}, "oneOf": [{"required": ["a"]}]},
    pod={
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "properties": {"spec": {"type": "object"}},
    },
)


def test_openapi_3_shows_the_schema_as_it_is_with_what_every_object_has() -> None:
    made = published.third(SCHEMA)
    assert set(made["properties"]) == {"apiVersion", "kind", "metadata", "spec"}
    spec = made["properties"]["spec"]["properties"]
    assert spec["either"]["anyOf"] == [{"type": "integer"}, {"type": "string"}]
    assert spec["null"] == {"type": "string", "nullable": True, "default": "x"}
    assert spec["one"]["oneOf"] == [{"required": ["a"]}]
    assert set(spec["pod"]["properties"]) == {"apiVersion", "kind", "metadata", "spec"}
    assert spec["pod"]["required"] == ["kind", "apiVersion"]
    assert "anyOf" not in SCHEMA["properties"]["spec"]["properties"]["either"]


def test_openapi_2_leaves_out_what_its_readers_cannot_understand() -> None:
    spec = published.second(SCHEMA)["properties"]["spec"]["properties"]
    assert spec["either"] == {"x-kubernetes-int-or-string": True}
    assert spec["null"] == {}
    assert spec["free"] == {"x-kubernetes-preserve-unknown-fields": True}
    assert "oneOf" not in spec["one"]
    assert published.second({"type": "object", "x-kubernetes-preserve-unknown-fields": True}) == {
        "type": "object"
    }


def test_versions_are_sorted_by_how_settled_they_are() -> None:
    versions = ["v1alpha1", "foo", "v2", "v10", "v1beta2", "v1", "v11alpha2", "v1beta10", "v01"]
    assert sorted(versions, key=priority) == [
        "v10",
        "v2",
        "v1",
        "v1beta10",
        "v1beta2",
        "v11alpha2",
        "v1alpha1",
        "foo",
        "v01",
    ]


@pytest.mark.parametrize("deep", ["properties", "items", "additionalProperties"])
def test_a_schema_and_an_object_nested_without_end_are_no_accident(deep: str) -> None:
    schema: Object = {"type": "object"}
    body: Any = {}
    for _ in range(200):
        if deep == "properties":
            schema, body = {"type": "object", "properties": {"a": schema}}, {"a": body}
        elif deep == "items":
            schema, body = {"type": "array", "items": schema}, [body]
        else:
            schema, body = {"type": "object", "additionalProperties": schema}, {"a": body}
    one = serve(spec_of(x=schema))
    made, refused = outcome(lambda: created(one, {"spec": {"x": body}}))
    assert made or refused == "exceeded max depth"


@given(
    old=st.dictionaries(st.sampled_from("abc"), st.integers(0, 2)),
    new=st.dictionaries(st.sampled_from("abc"), st.integers(0, 2)),
)
def test_the_generation_rises_exactly_when_something_changed(
    old: dict[str, int], new: dict[str, int]
) -> None:
    rules = serve(spec_of(**{name: {"type": "integer"} for name in "abc"})).rules
    before: Object = {"metadata": dict(META), "spec": old}
    after: Object = {"metadata": dict(META), "spec": new}
    rules.prepare_update(after, before)
    assert (after["metadata"]["generation"] == 5) is (old != new)
    refuse(rules.validate_update({**HEAD, **after}, {**HEAD, **before}))


HEAD = {"apiVersion": "example.com/v1", "kind": "Widget"}
