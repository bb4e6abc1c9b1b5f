"""A CustomResourceDefinition, read: which versions there are, what each holds. The object is as the API stores it (`v1`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argosy.kube.objects import Object, metadata
from argosy.kube.server.registry import Column, ScalePaths

COLLECTION = "customresourcedefinitions.apiextensions.k8s.io"
FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
_AGE = Column("Age", "date", "", "How long ago it was made.", path=".metadata.creationTimestamp")
_NOWHERE = ("",)
"""A path of a scale that leads to nothing, for a definition that names no selector."""


def spec_of(crd: Object) -> Object:
    return crd.get("spec") or {}


def status_of(crd: Object) -> Object:
    return crd.get("status") or {}


def versions_of(crd: Object) -> list[Object]:
    return spec_of(crd).get("versions") or []


def storage_version(crd: Object) -> str:
    return next((str(one.get("name", "")) for one in versions_of(crd) if one.get("storage")), "")


def schema_of(version: Object) -> Object:
    return (version.get("schema") or {}).get("openAPIV3Schema") or {}


def has_status(version: Object) -> bool:
    return (version.get("subresources") or {}).get("status") is not None


def scale_of(version: Object) -> Object | None:
    return (version.get("subresources") or {}).get("scale")


def scale_paths(scale: Object) -> ScalePaths:
    selector = scale.get("labelSelectorPath") or ""
    return ScalePaths(
        _path(scale.get("specReplicasPath", "")),
        _path(scale.get("statusReplicasPath", "")),
        _path(selector) if selector else _NOWHERE,
    )


def _path(text: str) -> tuple[str, ...]:
    return tuple(text.removeprefix(".").split("."))


def columns_of(version: Object) -> tuple[Column, ...]:
    given = version.get("additionalPrinterColumns")
    if not given:
        return (_AGE,)
    return tuple(
        Column(
            one.get("name", ""),
            one.get("type", ""),
            one.get("format", ""),
            one.get("description")
            or f"Custom resource definition column (in JSONPath format): {one.get('jsonPath', '')}",
            one.get("priority", 0),
            one.get("jsonPath", ""),
        )
        for one in given
    )


def condition(crd: Object, kind: str) -> Object | None:
    return next((one for one in status_of(crd).get("conditions") or () if one.get("type") == kind), None)


def is_true(crd: Object, kind: str) -> bool:
    found = condition(crd, kind)
    return found is not None and found.get("status") == "True"


def is_terminating(crd: Object) -> bool:
    return bool(metadata(crd).get("deletionTimestamp"))


def schemas_inside(schema: Any) -> Iterator[Object]:
    """A schema and all those that stand in it."""
    todo = [schema]
    while todo:
        one = todo.pop()
        if not isinstance(one, dict):
            continue
        yield one
        todo += [one.get("not"), one.get("items"), one.get("additionalProperties")]
        for key in ("allOf", "anyOf", "oneOf"):
            todo += one.get(key) or ()
        todo += (one.get("properties") or {}).values()
