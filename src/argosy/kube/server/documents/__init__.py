"""What a cluster tells of itself: that it lives (`checks`), its version, what it serves (`discovery`), and what that looks like (`openapi`).

`answer` is where `api.pipeline` sends every path that is no resource.
"""

from __future__ import annotations

from argosy.kube.errors import method_not_allowed
from argosy.kube.server.cluster import Cluster
from argosy.kube.server.documents import about, checks, discovery, openapi
from argosy.kube.wire import Request, Response


def answer(cluster: Cluster, request: Request) -> Response | None:
    """None: there is nothing of that name."""
    path = request.path.rstrip("/") or "/"
    found = _found(cluster, request, path)
    if found is not None and request.method not in {"GET", "HEAD"} and not checks.is_about(request.path):
        raise method_not_allowed()
    return found


def _found(cluster: Cluster, request: Request, path: str) -> Response | None:
    match path.split("/")[1:]:
        case ["api" | "apis", *_]:
            return discovery.answer(cluster, request, path)
        case ["openapi", *rest]:
            return openapi.answer(cluster, request, rest)
        case _:
            return checks.answer(cluster, request) or about.answer(cluster, request, path)
