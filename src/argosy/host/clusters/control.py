"""The socket by which `argosy kube …` reaches the process that runs the clusters.

HTTP on a Unix socket, 0600 in a private folder, and every request brings the token that lies in the secrets: whoever may read
that may use the clusters' own kubeconfigs anyway.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from argosy.host.clusters.fleet import ClusterState, Fleet, Reached
from argosy.host.lifecycle import failures
from argosy.host.paths import DataDir
from argosy.kit.errors import ArgosyError, ErrorBody, Internal, Unauthenticated, Unavailable, from_body
from argosy.kit.ids import token
from argosy.kit.tokens.files import create_once
from argosy.kube.server.store import Snapshot
from argosy.kube.server.store.snapshot import pieces

NAME = "cluster"
_TOKEN = "clusters-token"
_SECONDS = 60
_OBJECTS = "/objects"
_PAUSE = 0.001


class Taking(msgspec.Struct, frozen=True):
    """What the Ingresses of a cluster may take of the gateway (`home.Settings`)."""

    hosts: list[str] | None
    own_paths: bool


def app(fleet: Fleet, data: DataDir) -> Starlette:
    expected = f"Bearer {_token(data)}".encode()

    async def answer(request: Request) -> Response:
        try:
            if not hmac.compare_digest(request.headers.get("authorization", "").encode(), expected):
                raise Unauthenticated("this socket needs its token", code="auth.clusters")
            if request.method == "GET" and request.url.path.endswith(_OBJECTS):
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
        case "PUT" if request.url.path.endswith("/taking"):
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


def ask(data: DataDir, method: str, path: str, sent: object = None) -> bytes:
    """The other end, for the verbs."""

    async def asking() -> bytes:
        try:
            async with _asked(data, method, path, sent) as answered:
                return await answered.read()
        except (aiohttp.ClientConnectionError, FileNotFoundError) as error:
            raise failures.not_running(data.root, note="its embedded clusters do not answer") from error

    return asyncio.run(asking())


def objects(data: DataDir, name: str) -> Iterator[bytes]:
    """Everything that the cluster holds, as of one moment, in the pieces in which it comes (`store.snapshot`)."""
    with asyncio.Runner() as loop:
        held_open = AsyncExitStack()
        try:
            answered = loop.run(
                held_open.enter_async_context(_asked(data, "GET", f"/clusters/{name}{_OBJECTS}"))
            )
            while piece := loop.run(answered.content.readany()):
                yield piece
        except (aiohttp.ClientError, FileNotFoundError) as error:
            raise Unavailable(
                "the process of the embedded clusters ended before it had answered",
                code="kube.broke_off",
                cure="try again: it is started anew by itself",
            ) from error
        finally:
            loop.run(held_open.aclose())


@asynccontextmanager
async def _asked(
    data: DataDir, method: str, path: str, sent: object = None
) -> AsyncIterator[aiohttp.ClientResponse]:
    """An answer that is no refusal."""
    connector = aiohttp.UnixConnector(path=str(_socket(data)))
    timeout = aiohttp.ClientTimeout(total=None, sock_read=_SECONDS)
    headers = {"authorization": f"Bearer {_token(data)}"}
    body = None if sent is None else msgspec.json.encode(sent)
    async with (
        aiohttp.ClientSession(connector=connector, timeout=timeout) as session,
        session.request(method, f"http://cluster{path}", headers=headers, data=body) as answered,
    ):
        if answered.status >= 400:
            raise _error(await answered.read())
        yield answered


def _error(body: bytes) -> ArgosyError:
    try:
        return from_body(msgspec.json.decode(body, type=ErrorBody))
    except msgspec.MsgspecError:
        return Internal(body[:200].decode(errors="replace") or "no answer")


def _socket(data: DataDir) -> Path:
    return data.socket(NAME)


def _token(data: DataDir) -> str:
    file = data.secrets / _TOKEN
    create_once(file, token().encode(), 0o600)
    return file.read_text().strip()


def _json(found: object, *, status: int = 200) -> Response:
    return Response(msgspec.json.encode(found), status, media_type="application/json")
