"""Files with resources: which objects are in them."""

from __future__ import annotations

from typing import Any

from argosy.kube.objects import Object
from argosy.manifests.kustomize.documents import Malformed, documents
from argosy.manifests.kustomize.resource import ClusterWide, Resource
from argosy.manifests.kustomize.scalars import is_null, text_of
from argosy.manifests.tree import SourceError


def resources_of(text: str, cluster_wide: ClusterWide, *, file: str = "") -> list[Resource]:
    """Lists are opened: their items come last."""
    try:
        found = documents(text)
    except Malformed as error:
        said = f"MalformedYAMLError: {error}"
        raise Malformed(f"{said} in File: {file}" if file else said) from error
    if len(found) == 1 and _is_list(found[0]):
        found = _items(found[0])
    waiting = [_checked(one) for one in found if not _is_nothing(one)]
    objects: list[Object] = []
    while waiting:
        one = waiting.pop(0)
        if not text_of(one["kind"]).endswith("List") or "items" not in one:
            objects.append(one)
        elif not is_null(one["items"]):
            waiting += [_checked(item) for item in _items(one) if not _is_nothing(item)]
    return [Resource(one, cluster_wide) for one in objects]


def _is_list(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and text_of(value.get("kind", "")) in {"List", "ResourceList"}
        and "items" in value
    )


def _items(value: Object) -> list[Any]:
    items = value["items"]
    if is_null(items):
        return []
    if not isinstance(items, list):
        kind = "map[string]interface {}" if isinstance(items, dict) else "string"
        raise SourceError(f"expected array in {text_of(value['kind'])}/items, but found {kind}")
    return items


def _is_nothing(value: Any) -> bool:
    return is_null(value) or value in ({}, [])


def _checked(value: Any) -> Object:
    """Upstream wants to know a kind and a name, and nothing else."""
    if not isinstance(value, dict):
        raise SourceError("missing Resource metadata")
    metadata = value.get("metadata")
    name = text_of(metadata.get("name", "")) if isinstance(metadata, dict) else ""
    kind = "" if is_null(value.get("kind")) else text_of(value["kind"])
    about = f"{{apiVersion: {text_of(value.get('apiVersion', ''))}, kind: {kind}, name: {name}}}"
    if not kind:
        raise SourceError(f"missing kind in object {about}")
    if not name and not kind.endswith("List"):
        raise SourceError(f"missing metadata.name in object {about}")
    return value
