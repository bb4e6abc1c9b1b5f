"""The OpenAPI document itself: valid, whole, and the same that the platform serves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from tests.conformance.api.described import DOCUMENT
from tests.installation import Installation

OPERATIONS = [
    (method, path, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
]
NAMES = [f"{method} {path}" for method, path, _ in OPERATIONS]


def inside(value: Any) -> Iterator[dict[str, Any]]:
    match value:
        case dict():
            yield value
            for inner in value.values():
                yield from inside(inner)
        case list():
            for inner in value:
                yield from inside(inner)


def test_the_platform_serves_this_document_to_everybody(installation: Installation) -> None:
    reply = installation.anonymous.get("/api/openapi.json")

    served = reply.json
    assert reply.headers["content-type"] == "application/json"
    assert served["servers"] == [{"url": installation.url}]
    assert served["paths"] == json.loads(json.dumps(DOCUMENT["paths"]))


def test_the_reference_page_names_every_path(installation: Installation) -> None:
    reply = installation.anonymous.get("/api/reference")

    assert reply.headers["content-type"].startswith("text/html")
    page = reply.body.decode()
    assert [path for path in DOCUMENT["paths"] if path not in page] == []
    assert "<script" not in page or "src=" in page  # the policy lets no inline script run


def test_every_reference_leads_somewhere() -> None:
    known = {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}

    assert {one["$ref"] for one in inside(DOCUMENT) if isinstance(one.get("$ref"), str)} <= known


@pytest.mark.parametrize("name", sorted(DOCUMENT["components"]["schemas"]))
def test_every_component_is_a_valid_schema_with_a_plain_name(name: str) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9._-]+", name)
    jsonschema_rs.meta.validate(DOCUMENT["components"]["schemas"][name])


def test_every_operation_has_a_name_of_its_own() -> None:
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]

    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=NAMES)
def test_an_operation_is_described_whole(method: str, path: str, operation: dict[str, Any]) -> None:
    named = {one["name"] for one in operation["parameters"] if one["in"] == "path"}
    names = [(one["in"], one["name"]) for one in operation["parameters"]]

    assert named == set(re.findall(r"\{(\w+)\}", path))
    assert all(one["required"] for one in operation["parameters"] if one["in"] == "path")
    assert len(names) == len(set(names))
    assert operation["summary"] and operation["tags"]
    assert method in ("post", "put", "patch") or "requestBody" not in operation
    assert {"200", "429"} <= set(operation["responses"])
    assert operation["security"] == [] or {"401", "403"} <= set(operation["responses"])
    for response in operation["responses"].values():
        assert response["description"]
        for content in response["content"].values():
            jsonschema_rs.meta.validate({**content["schema"], "components": DOCUMENT["components"]})


def test_writes_say_that_unknown_names_are_refused() -> None:
    bodies = [operation["requestBody"] for _, _, operation in OPERATIONS if "requestBody" in operation]

    assert bodies
    assert all(
        body["content"]["application/json"]["schema"]["additionalProperties"] is False for body in bodies
    )
