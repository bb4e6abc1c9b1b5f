"""What a write of a resource or subresource cannot change, and therefore nobody comes to own by it.

A write of the object itself does not touch its status, a write of the status does not touch the spec. The exceptions
are upstream's: each of its strategies names its own fields.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from argosy.kube.objects import Object, group_version
from argosy.kube.server.ownership.fieldset import FieldSet, Path, belongs, node, of_paths, without
from argosy.kube.server.ownership.settle import Reset
from argosy.kube.types import Kind, Resource, pinned

_SPEC: Path = ("f:spec",)
_STATUS: Path = ("f:status",)
_META: Path = ("f:metadata",)
_REQUESTS = "certificatesigningrequests.certificates.k8s.io"
_EXCLUDED: dict[tuple[str, str], tuple[Path, ...]] = {
    ("deployments.apps", "status"): (_SPEC, ("f:metadata", "f:labels")),
    ("pods", "status"): (
        _SPEC,
        ("f:metadata", "f:deletionTimestamp"),
        ("f:metadata", "f:ownerReferences"),
    ),
    ("namespaces", "finalize"): (_STATUS,),
    (_REQUESTS, ""): (_SPEC, _STATUS),
    (_REQUESTS, "status"): (_SPEC, ("f:status", "f:conditions")),
    (_REQUESTS, "approval"): (_SPEC, ("f:status", "f:certificate")),
    **{
        (resource, "status"): (_SPEC, _META)
        for resource in (
            "servicecidrs.networking.k8s.io",
            "volumeattachments.storage.k8s.io",
            "validatingadmissionpolicies.admissionregistration.k8s.io",
        )
    },
}
_ONE_CONTAINER: FieldSet = {"*": {"f:resources": {}, "f:resizePolicy": {}}}
_INCLUDED: dict[tuple[str, str], FieldSet] = {
    ("pods", "ephemeralcontainers"): {"f:spec": {"f:ephemeralContainers": {}}},
    ("pods", "resize"): {"f:spec": {"f:containers": _ONE_CONTAINER, "f:initContainers": _ONE_CONTAINER}},
}


def reset_fields(resource: Resource, subresource: str = "", *, custom: bool = False) -> Reset:
    """Of a write; the same answer for every version."""
    wanted = _INCLUDED.get((resource.group_resource, subresource))
    if wanted is not None:
        return lambda fields: _only(fields, wanted)
    return _excluding(_excluded(resource.group_resource, resource.subresources, subresource, custom=custom))


def reset_of(obj: Object, subresource: str) -> Reset:
    """The same, for who has only the object. Custom kinds are not in the table: whether their status is apart, the table
    of CRDs knows."""
    resource = _built_in().get(Kind(*group_version(obj), str(obj.get("kind", ""))))
    if resource is not None:
        return _cached(resource.group_resource, resource.kind.version, subresource)
    return _excluding((_SPEC, _META) if subresource == "status" else ())


def _excluded(
    resource: str, subresources: Iterable[str], subresource: str, *, custom: bool
) -> tuple[Path, ...]:
    known = _EXCLUDED.get((resource, subresource))
    if known is not None:
        return known
    if subresource == "status":
        return (_SPEC, _META) if custom else (_SPEC,)
    return (_STATUS,) if not subresource and "status" in subresources else ()


def _excluding(paths: tuple[Path, ...]) -> Reset:
    excluded = of_paths(*paths)
    return lambda fields: without(fields, excluded) if fields else fields


@cache
def _built_in() -> dict[Kind, Resource]:
    return {resource.kind: resource for resource in pinned().resources}


@cache
def _cached(group_resource: str, version: str, subresource: str) -> Reset:
    found = next(
        resource
        for resource in pinned().resources
        if resource.group_resource == group_resource and resource.kind.version == version
    )
    return reset_fields(found, subresource)


def _only(fields: FieldSet, wanted: FieldSet) -> FieldSet:
    """What the pattern names (`*`: any item), with everything below its ends."""
    out: FieldSet = {}
    for element, below in fields.items():
        pattern = wanted.get(element, wanted.get("*"))
        if pattern is None or element == ".":
            continue
        found = below if not pattern else node(_only(below, pattern), member=belongs(below))
        if found is not None:
            out[element] = found
    return out
