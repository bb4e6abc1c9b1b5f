"""`/openapi/v3` (an index and a document per group and version) and `/openapi/v2` (one document, JSON or protobuf)."""

from __future__ import annotations

import hashlib

import msgspec

from argosy.kube.objects import Object
from argosy.kube.server.api.plain import json_answer
from argosy.kube.server.cluster import Cluster
from argosy.kube.server.documents import gnostic
from argosy.kube.server.documents.memo import PerRegistry
from argosy.kube.server.documents.paths import paths
from argosy.kube.server.documents.schemas import V2, V3, schemas
from argosy.kube.server.registry import Registry, Served
from argosy.kube.types import pinned
from argosy.kube.wire import Request, Response

_GNOSTIC = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_DIALECTS = {"application/com.github.proto-openapi.spec.v2@v1.0+protobuf", _GNOSTIC}


def answer(cluster: Cluster, request: Request, rest: list[str]) -> Response | None:
    match rest:
        case ["v2"]:
            return _second(cluster, request)
        case ["v3"]:
            return json_answer({"paths": _index(cluster.registry)})
        case ["v3", *path]:
            body = _documents(cluster.registry).get("/".join(path))
            return None if body is None else _tagged(request, body, "application/json")
        case _:
            return None


def _index(registry: Registry) -> Object:
    return {
        path: {"serverRelativeURL": f"/openapi/v3/{path}?hash={_hash(body)}"}
        for path, body in _documents(registry).items()
    }


def _documents(registry: Registry) -> dict[str, bytes]:
    return _THIRD.of(registry)


def _third(registry: Registry) -> dict[str, bytes]:
    by_version: dict[str, list[Served]] = {}
    for one in registry:
        kind = one.resource.kind
        path = f"apis/{kind.group}/{kind.version}" if kind.group else f"api/{kind.version}"
        by_version.setdefault(path, []).append(one)
    return {
        path: msgspec.json.encode(
            {
                "openapi": "3.0.0",
                "info": _info(),
                "paths": paths(served, V3),
                "components": {"schemas": schemas(served, V3)},
            }
        )
        for path, served in by_version.items()
    }


def _second_document(registry: Registry) -> Object:
    return {
        "swagger": "2.0",
        "info": _info(),
        "paths": paths(registry, V2),
        "definitions": schemas(registry, V2),
    }


_THIRD = PerRegistry(_third)
_SECOND = PerRegistry(lambda registry: msgspec.json.encode(_second_document(registry)))
_SECOND_PACKED = PerRegistry(lambda registry: gnostic.document(_second_document(registry)))


def _second(cluster: Cluster, request: Request) -> Response:
    accept = request.headers.get("accept", "")
    if any(clause.split(";")[0].strip() in _DIALECTS for clause in accept.split(",")):
        return _tagged(request, _SECOND_PACKED.of(cluster.registry), _GNOSTIC)
    return _tagged(request, _SECOND.of(cluster.registry), "application/json")


def _tagged(request: Request, body: bytes, media: str) -> Response:
    tag = f'"{_hash(body)}"'
    headers = {"content-type": media, "etag": tag, "vary": "Accept"}
    if request.headers.get("if-none-match") == tag:
        return Response(304, headers)
    return Response(200, headers, body)


def _hash(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest().upper()


def _info() -> Object:
    major, minor, _ = pinned().version.removeprefix("v").split(".")
    return {"title": "Kubernetes", "version": f"{major}.{minor}"}
