"""Whole objects inside custom objects (`x-kubernetes-embedded-resource`): their apiVersion, kind and metadata are those that
every object has, whatever the schema says of the rest."""

from __future__ import annotations

from typing import Any

from argosy.kube.errors import ApiError, Cause, bad_request
from argosy.kube.objects import Object
from argosy.kube.schema import struct
from argosy.kube.server.crds.shapes import Shape
from argosy.kube.server.decoding import decode
from argosy.kube.server.rules import formats, metadata
from argosy.kube.server.rules.wording import invalid, required, shown

_METADATA = "meta.v1.ObjectMeta"


def coerced(obj: Object, path: str, *, lenient: bool) -> list[str]:
    """Puts its metadata into form; answers the paths of what metadata does not have. 400 for what cannot be."""
    for name in ("apiVersion", "kind"):
        if name in obj and type(obj[name]) is not str:
            if not lenient:
                raise bad_request(f"{path}.{name}: Invalid value: {shown(obj[name])}: must be a string")
            del obj[name]
    if "metadata" not in obj:
        return []
    try:
        found = decode(obj["metadata"] or {}, struct(_METADATA))
    except ApiError as error:
        if lenient:
            return []
        told = f"{path}.metadata: Invalid value: {shown(obj['metadata'])}: {error.message}"
        raise bad_request(told) from error
    obj["metadata"] = found.obj
    return [f"{path}.metadata.{one}" for one in found.unknown]


def check(value: Any, shape: Shape, path: str = "") -> list[Cause]:
    """Every one of them, wherever it is. The root is checked by its own rules."""
    causes: list[Cause] = []
    _walk(value, shape, path, causes)
    return causes


def check_part(value: Any, shape: Shape, path: str) -> list[Cause]:
    """Of a value that is no whole custom object (a default)."""
    causes: list[Cause] = []
    _walk(value, shape, path, causes)
    return causes


def _walk(value: Any, shape: Shape | None, path: str, causes: list[Cause]) -> None:
    if shape is None:
        return
    if type(value) is dict:
        if shape.embedded and path:
            causes += _check_one(value, path)
        for name, inner in value.items():
            if type(inner) is dict or type(inner) is list:
                child = shape.properties[name]
                if child is not None:
                    _walk(inner, child, f"{path}.{name}" if path else name, causes)
                elif shape.with_rest:
                    _walk(inner, shape.rest, f"{path}[{name}]", causes)
    elif type(value) is list and shape.items is not None:
        for at, one in enumerate(value):
            if type(one) is dict or type(one) is list:
                _walk(one, shape.items, f"{path}[{at}]", causes)


def _check_one(obj: Object, path: str) -> list[Cause]:
    causes = [required(f"{path}.{name}") for name in ("apiVersion", "kind") if name not in obj]
    if "apiVersion" in obj:
        causes += _check_version(obj["apiVersion"], f"{path}.apiVersion")
    if "kind" in obj:
        causes += _check_kind(obj["kind"], f"{path}.kind")
    if isinstance(obj.get("metadata"), dict):
        meta = {**obj["metadata"], "name": obj["metadata"].get("name") or "fakename"}
        causes += metadata.check(meta, namespaced=bool(meta.get("namespace")), path=f"{path}.metadata")
    return causes


def _check_version(said: object, path: str) -> list[Cause]:
    if not isinstance(said, str):
        return [invalid(path, said, "must be a string")]
    if not said:
        return [invalid(path, said, "must not be empty")]
    if said.count("/") > 1:
        return [invalid(path, said, f"unexpected GroupVersion string: {said}")]
    return []


def _check_kind(said: object, path: str) -> list[Cause]:
    if not isinstance(said, str):
        return [invalid(path, said, "must be a string")]
    if not said:
        return [invalid(path, said, "must not be empty")]
    if told := formats.dns_1035_label(said.lower()):
        return [invalid(path, said, "may have mixed case, but should otherwise match: " + ",".join(told))]
    return []
