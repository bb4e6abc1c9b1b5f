"""From a CRD to what the registry serves: one entry per version, all of one collection of objects.

Versions differ in nothing but their name and schema (`conversion: None`): an object of one becomes one of another by saying so,
and by losing what the other's schema does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from argosy.kube.objects import Object
from argosy.kube.server.crds import nodes
from argosy.kube.server.crds.custom_rules import CustomRules
from argosy.kube.server.crds.defaulting import default
from argosy.kube.server.crds.definition import (
    columns_of,
    has_status,
    is_terminating,
    scale_of,
    scale_paths,
    schema_of,
    spec_of,
    status_of,
    storage_version,
    versions_of,
)
from argosy.kube.server.crds.fitting import fitted
from argosy.kube.server.crds.shapes import Shape
from argosy.kube.server.crds.version_order import priority
from argosy.kube.server.decoding import Decoded
from argosy.kube.server.registry import Served
from argosy.kube.types import Kind, Resource, Subresource

_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
_SUBRESOURCE_VERBS = ("get", "patch", "update")
_SCALE = Kind("autoscaling", "v1", "Scale")
Convert = Callable[[Object], Object]


def served(crd: Object, *, since: int) -> Iterator[Served]:
    """`since`: what was stored before that revision may not fit the schemas as they are now."""
    stored = storage_version(crd)
    shapes = {one["name"]: Shape(schema_of(one), root=True) for one in versions_of(crd)}
    for version in versions_of(crd):
        if version.get("served"):
            yield _version(crd, version, stored, shapes, since)


def _version(crd: Object, version: Object, stored: str, shapes: dict[str, Shape], since: int) -> Served:
    name, group = version["name"], spec_of(crd)["group"]
    shape, resource = shapes[name], _resource(crd, version)
    schema, scale = schema_of(version), scale_of(version)
    return Served(
        resource=resource,
        schema=nodes.root(schema),
        rules=CustomRules(resource, version, shape, terminating=is_terminating(crd)),
        decode=_decode(shape),
        collection=resource.group_resource,
        to_stored=_same if name == stored else _to_stored(f"{group}/{stored}", shapes[stored]),
        from_stored=_from_stored(f"{group}/{name}", shape, shapes, stored),
        as_stored=name == stored,
        custom=True,
        since=since,
        scale=scale_paths(scale) if scale is not None else None,
        columns=columns_of(version),
        deprecated=_deprecation(crd, version),
        openapi=schema,
    )


def _resource(crd: Object, version: Object) -> Resource:
    names, group = status_of(crd).get("acceptedNames") or {}, spec_of(crd)["group"]
    kind = Kind(group, version["name"], names.get("kind", ""))
    subresources = {}
    if has_status(version):
        subresources["status"] = Subresource("status", kind, _SUBRESOURCE_VERBS)
    if scale_of(version) is not None:
        subresources["scale"] = Subresource("scale", _SCALE, _SUBRESOURCE_VERBS)
    return Resource(
        plural=names.get("plural", ""),
        kind=kind,
        singular=names.get("singular", ""),
        namespaced=spec_of(crd).get("scope") == "Namespaced",
        verbs=_VERBS,
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        subresources=subresources,
        type="",
    )


class _Decode:
    def __init__(self, shape: Shape) -> None:
        self._shape = shape

    def __call__(self, value: object, /, *, fill: bool = True) -> Decoded:
        return fitted(value, self._shape, fill=fill)


def _decode(shape: Shape) -> _Decode:
    return _Decode(shape)


def _to_stored(api_version: str, shape: Shape) -> Convert:
    def convert(obj: Object) -> Object:
        return fitted({**obj, "apiVersion": api_version}, shape).obj

    return convert


def _from_stored(api_version: str, shape: Shape, shapes: dict[str, Shape], stored: str) -> Convert:
    """What lies in the store is brought into the shape that its own version has now, and then into the asked one's, which fills
    nothing in: only a write does that."""

    def convert(obj: Object) -> Object:
        was = str(obj.get("apiVersion", "")).rpartition("/")[2]
        made = obj
        if (own := shapes.get(was)) is not None:
            made = fitted(obj, own, lenient=True).obj
            default(made, own)
        if own is not shape:
            made = fitted({**made, "apiVersion": api_version}, shape, lenient=True).obj
        made["apiVersion"] = api_version
        made["metadata"].setdefault("generation", 1)
        return made

    return convert


def _same(obj: Object) -> Object:
    return obj


def _deprecation(crd: Object, version: Object) -> str:
    if not version.get("deprecated"):
        return ""
    if (told := version.get("deprecationWarning")) is not None:
        return str(told)
    spec = spec_of(crd)
    group, kind, name = spec["group"], spec["names"].get("kind", ""), version["name"]
    better = sorted(
        (
            one["name"]
            for one in versions_of(crd)
            if one.get("served") and not one.get("deprecated") and priority(one["name"]) < priority(name)
        ),
        key=priority,
    )
    instead = f"; use {group}/{better[0]} {kind}" if better else ""
    return f"{group}/{name} {kind} is deprecated{instead}"
