"""CRDs for tests, and what the API makes of a CRD or an object on its way to the store."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import msgspec

from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.schema import struct
from argosy.kube.server.crds import rules_for_crds
from argosy.kube.server.crds.serving import served
from argosy.kube.server.decoding import decode
from argosy.kube.server.registry import Served
from argosy.kube.types import pinned

RESOURCE = next(one for one in pinned().resources if one.plural == "customresourcedefinitions")
RULES = rules_for_crds(RESOURCE)


def recorded(name: str) -> list[Any]:
    """What a real API server (1.36) answered to each."""
    return [
        msgspec.json.decode(line)
        for line in (Path(__file__).parent / "recorded" / name).read_bytes().splitlines()
    ]


def definition(
    schema: Object | None = None, *, name: str = "widgets", kind: str = "Widget", **version: Any
) -> Object:
    """Of the group `example.com`, with one version."""
    one = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema or {"type": "object"}},
    }
    return of_versions({**one, **version}, name=name, kind=kind)


def of_versions(*versions: Object, name: str = "widgets", kind: str = "Widget", **spec: Any) -> Object:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{name}.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"plural": name, "kind": kind},
            "scope": "Namespaced",
            "versions": list(versions),
            **spec,
        },
    }


def spec_of(**properties: Object) -> Object:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def taken(crd: Object) -> Object:
    """As the API would store it. Raises `Refused` with what is wrong."""
    obj = decode(copy.deepcopy(crd), struct(RESOURCE.type)).obj
    RULES.default(obj)
    RULES.prepare_create(obj)
    refuse(RULES.validate(obj))
    return obj


def versions_served(crd: Object, *, since: int = 0) -> dict[str, Served]:
    """As if nothing stood against its names."""
    obj = crd if crd.get("status") else taken(crd)
    accepted = {**obj, "status": {"acceptedNames": obj["spec"]["names"]}}
    return {one.resource.kind.version: one for one in served(accepted, since=since)}


class Refused(Exception):
    def __init__(self, causes: list[list[str]]) -> None:
        super().__init__(causes)
        self.causes = causes


def refuse(causes: Any) -> None:
    if causes:
        raise Refused([list(one) for one in causes])


def created(one: Served, body: Object) -> tuple[Object, list[str]]:
    """An object as it would be stored, and its unknown fields."""
    kind = one.resource.kind
    whole = {"apiVersion": kind.api_version, "kind": kind.kind, **copy.deepcopy(body)}
    whole["metadata"] = {"name": "a", "namespace": "default", **whole.get("metadata", {})}
    decoded = one.decode(whole)
    one.rules.default(decoded.obj)
    one.rules.prepare_create(decoded.obj)
    refuse(one.rules.validate(decoded.obj))
    return decoded.obj, decoded.unknown


def outcome(make: Any) -> tuple[Any, Any]:
    """What came of it, or what was refused: a list of causes, or a text."""
    try:
        return make(), None
    except Refused as error:
        return None, sorted(error.causes)
    except ApiError as error:
        return None, error.message


def chunks(found: list[Any], size: int = 50) -> list[list[Any]]:
    return [found[at : at + size] for at in range(0, len(found), size)]
