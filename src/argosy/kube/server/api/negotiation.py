"""In which form an answer is wanted: the object, a Table for people, or its metadata alone.

JSON is always acceptable to real clients, whatever else they list; only a request that accepts nothing we can write is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from argosy.kube.errors import ApiError, bare, not_acceptable
from argosy.kube.types import Kind
from argosy.kube.wire import Request

JSON, YAML = "application/json", "application/yaml"
_SUPPORTED = (JSON, YAML, "application/vnd.kubernetes.protobuf")


@dataclass(frozen=True, slots=True)
class Form:
    shape: Literal["object", "table", "metadata"] = "object"
    version: str = ""
    """Of the Table or the metadata: `v1` or `v1beta1`."""
    yaml: bool = False
    include: str = "Metadata"
    """How much of its object a row of a Table carries."""
    list: bool | None = None
    """Of metadata: whether it was asked for as that of a list."""


def form(request: Request, *, shapes: bool = True, routed: bool = True) -> Form:
    """`shapes`: whether Table and metadata can be asked for here. `routed`: whether upstream's router looks first, which knows
    no `application/*`; it does but for custom resources."""
    accept = request.headers.get("accept", "") or "*/*"
    if routed and not _is_routed(accept):
        raise bare(
            406, "NotAcceptable", f"406: Not Acceptable\n\nAvailable representations: {', '.join(_SUPPORTED)}"
        )
    found = _form(accept, shapes=shapes)
    if found is None:
        raise not_acceptable(_SUPPORTED)
    if found.shape == "table" and (include := request.parameter("includeObject")):
        return replace(found, include=include)
    return found


def wants_yaml(request: Request) -> bool:
    """Of an error, which is told in the form that was asked for, whatever else there is to say about that."""
    found = _form(request.headers.get("accept", "") or "*/*", shapes=True)
    return found is not None and found.yaml


def single(found: Form, kind: Kind) -> None:
    """An object cannot be shown as a list of metadata."""
    if found.list is True:
        raise ApiError(
            406,
            "NotAcceptable",
            f"you requested PartialObjectMetadataList, but the requested object is not a list (*{_go(kind)})",
        )


def several(found: Form, kind: Kind) -> None:
    if found.list is False:
        raise ApiError(
            406,
            "NotAcceptable",
            f"you requested PartialObjectMetadata, but the requested object is a list (*{_go(kind)}List)",
        )


def _go(kind: Kind) -> str:
    return f"{kind.group.split('.')[0] or 'core'}.{kind.kind}"


@lru_cache(maxsize=1024)
def _is_routed(accept: str) -> bool:
    return any(clause.split(";")[0].strip() in {"*/*", *_SUPPORTED} for clause in accept.split(","))


@lru_cache(maxsize=1024)
def _form(accept: str, *, shapes: bool) -> Form | None:
    for media, parameters in _by_quality(accept):
        if media not in {JSON, "application/*", "*/*", YAML}:
            continue
        yaml = media == YAML
        match parameters.get("as"), parameters.get("g"):
            case None, _:
                return Form(yaml=yaml)
            case (
                "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList"
            ) as shape, "meta.k8s.io" if shapes:
                version = parameters.get("v", "")
                if version not in {"v1", "v1beta1"}:
                    continue
                if shape == "Table":
                    return Form("table", version, yaml=yaml)
                return Form("metadata", version, yaml=yaml, list=shape == "PartialObjectMetadataList")
    return None


def _by_quality(accept: str) -> list[tuple[str, dict[str, str]]]:
    clauses: list[tuple[float, str, dict[str, str]]] = []
    for clause in accept.split(",")[:50]:
        media, *rest = (part.strip() for part in clause.split(";"))
        parameters = dict(part.split("=", 1) for part in rest if "=" in part)
        try:
            quality = float(parameters.pop("q", "1"))
        except ValueError:
            quality = 1.0
        if media and quality > 0:
            clauses.append((quality, media.lower(), parameters))
    clauses.sort(key=lambda one: -one[0])
    return [(media, parameters) for _, media, parameters in clauses]
