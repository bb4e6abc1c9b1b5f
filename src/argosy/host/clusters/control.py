"""The socket by which `argosy kube …` reaches the process that runs the clusters.

HTTP on a Unix socket, 0600 in a private folder, and every request brings the token that lies in the secrets: whoever may read
that may use the clusters' own kubeconfigs anyway.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from argosy.host.clusters.fleet import Fleet
from argosy.host.clusters.reaching import OBJECTS, ClusterState, Reached, Taking, secret
from argosy.host.paths import DataDir
from argosy.kit.errors import ArgosyError, Unauthenticated
from argosy.kube.server.store import Snapshot
from argosy.kube.server.store.snapshot import pieces

_PAUSE = 0.001


def app(fleet: Fleet, data: DataDir) -> Starlette:
    expected = f"Bearer {secret(data)}".encode()

    async def answer(request: Request) -> Response:
        try:
            if not hmac.compare_digest(request.headers.get("authorization", "").encode(), expected):
                raise Unauthenticated("this socket needs its token", code="auth.clusters")
            if request.method == "GET" and request.url.path.endswith(OBJECTS):
                return StreamingResponse(_in_turns(await fleet.snapshot(request.path_params["name"])))
            return _json(await _do(fleet, request))
        except ArgosyError as error:
            return _json(error.body(), status=error.status)

    return Starlette(
        routes=[
            Route("/clusters", answer, methods=["GET"]),
            Route("/clusters/{name}/objects", answer, methods=["GET"]),
            Route("/clusters/{name}", answer, methods=["PUT", "DELETE"]),
            Route("/clusters/{name}/taking", answer, methods=["PUT"]),
            Route("/ingresses", answer, methods=["GET"]),
        ]
    )


async def _do(fleet: Fleet, request: Request) -> list[ClusterState] | list[Reached] | ClusterState | None:
    match request.method:
        case "PUT" if request.url.path.count("/") == 3:  # `taking` may be a cluster's name, too
            asked = msgspec.json.decode(await request.body(), type=Taking)
            await fleet.let_take(request.path_params["name"], asked.hosts, asked.own_paths)
            return None
        case "PUT":
            return await fleet.create(request.path_params["name"])
        case "GET" if request.url.path == "/ingresses":
            return fleet.reached()
        case "DELETE":
            await fleet.delete(request.path_params["name"])
            return None
        case _:
            return fleet.states()


async def _in_turns(snapshot: Snapshot) -> AsyncIterator[bytes]:
    """Between two of them the clusters go on, and the threads of their journals, which a busy loop would hold up."""
    for piece in pieces(snapshot):
        yield piece
        await asyncio.sleep(_PAUSE)


def _json(found: object, *, status: int = 200) -> Response:
    return Response(msgspec.json.encode(found), status, media_type="application/json")
