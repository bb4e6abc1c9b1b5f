"""The table of built-in types is whole: whatever a resource or a field refers to is in it."""

from __future__ import annotations

import pytest

from argosy.kube.schema import List, Map, Scalar, Struct, Untyped, struct
from argosy.kube.server.decoding import scalars
from argosy.kube.types import Kind, pinned

UNTYPED = {
    "JSON",
    "RawExtension",
    "FieldsV1",
    "JSONSchemaPropsOrArray",
    "JSONSchemaPropsOrBool",
    "JSONSchemaPropsOrStringArray",
}


def test_every_type_that_a_field_has_is_known():
    table = pinned()
    unknown = {
        (name, field.name, field.type)
        for name in table.names()
        for field in table.type(name).fields.values()
        if (bare := field.type.replace("[]", "").replace("{}", "")) not in UNTYPED
        and bare not in scalars.READ
        and table.type(bare) is None
    }
    assert unknown == set()


def test_every_resource_has_a_type_with_metadata_or_is_a_review():
    for resource in pinned().resources:
        fields = pinned().type(resource.type).fields
        assert "metadata" in fields, resource.group_resource


def test_every_field_but_the_identity_has_a_protobuf_number():
    without = {
        (name, field.name)
        for name in pinned().names()
        for field in pinned().type(name).fields.values()
        if not field.numbers and field.name not in {"apiVersion", "kind"}
    }
    assert without == set()


def test_a_deployment_is_found_with_what_clients_call_it():
    found = next(one for one in pinned().resources if one.kind == Kind("apps", "v1", "Deployment"))
    assert (found.plural, found.singular, found.short_names) == ("deployments", "deployment", ("deploy",))
    assert set(found.subresources) == {"scale", "status"}
    assert found.group_resource == "deployments.apps"


def test_ports_merge_by_number_and_protocol():
    node = struct("core.v1.ServiceSpec").fields["ports"].node
    assert isinstance(node, List)
    assert (node.type, node.keys, dict(node.key_defaults)) == (
        "map",
        ("port", "protocol"),
        {"protocol": "TCP"},
    )


@pytest.mark.parametrize(
    "name", ["core.v1.Pod", "apiextensions.v1.CustomResourceDefinition", "apps.v1.StatefulSet"]
)
def test_nodes_can_be_walked_to_the_end_though_types_refer_to_themselves(name):
    seen: set[str] = set()

    def walk(node):
        match node:
            case Struct():
                if node.name not in seen:
                    seen.add(node.name)
                    for field in node.fields:
                        walk(node.fields[field].node)
            case List():
                walk(node.item)
            case Map():
                walk(node.value)
            case _:
                assert isinstance(node, Scalar | Untyped)

    walk(struct(name))
    assert "meta.v1.ObjectMeta" in seen
