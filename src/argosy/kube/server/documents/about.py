"""`/version`, the keys that service-account tokens are signed with, and the list of all paths."""

from __future__ import annotations

import platform

from argosy.kube.objects import Object
from argosy.kube.server.api.plain import json_answer
from argosy.kube.server.cluster import Cluster
from argosy.kube.server.documents import checks
from argosy.kube.server.documents.discovery import group_paths
from argosy.kube.types import pinned
from argosy.kube.wire import Request, Response


def answer(cluster: Cluster, request: Request, path: str) -> Response | None:
    match path:
        case "/version":
            return json_answer(version())
        case "/.well-known/openid-configuration":
            return json_answer(_openid(cluster, request))
        case "/openid/v1/jwks":
            return json_answer(cluster.authority.signing.key_set(), media="application/jwk-set+json")
        case "/":
            return json_answer({"paths": _paths(cluster)})
        case _:
            return None


def version() -> dict[str, str]:
    said = pinned().version
    major, minor, _ = said.removeprefix("v").split(".")
    return {
        "major": major,
        "minor": minor,
        "gitVersion": f"{said}+argosy",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": platform.python_implementation(),
        "platform": f"linux/{'arm64' if platform.machine() in {'aarch64', 'arm64'} else 'amd64'}",
    }


def _openid(cluster: Cluster, request: Request) -> Object:
    url = f"https://{request.headers.get('host', '')}"
    return cluster.authority.signing.discovery(issuer=cluster.authority.issuer, url=url)


def _paths(cluster: Cluster) -> list[str]:
    return sorted(
        {
            *group_paths(cluster.registry),
            *checks.PATHS,
            "/version",
            "/openapi/v2",
            "/openapi/v3",
            "/openid/v1/jwks",
        }
    )
