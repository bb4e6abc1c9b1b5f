"""The gateway's way to the Ingresses of all embedded clusters: which routes there are, told as they change, and the pods behind them.

A socket and a token apart from those of the verbs (`control`): the gateway may read routes and reach pods that an Ingress names, and
do nothing else to a cluster. `contracts.ingress` has the form, `platform.gateway.ingress` is the other end.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from urllib.parse import quote, unquote

import aiohttp
import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send
from yarl import URL

from argosy.contracts.ingress import FAILED, SECRET_FILE, TOKEN, IngressRoute, Routes
from argosy.kit.errors import ArgosyError, NotFound, Unauthenticated, Unavailable
from argosy.kit.ids import token
from argosy.kit.tokens.files import create_once
from argosy.kube.controllers.ingress import Backend, Claim, Claims, Door, NoBackend

NAME = "ingress"
_CONNECT_SECONDS, _SILENT_SECONDS = 10.0, 60.0
_GATHER_SECONDS = 0.02
"""Many Ingresses that are made at once are told in few lines."""
_OF_THE_CONNECTION = frozenset(
    {"connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "proxy-connection", TOKEN}
)


class Passage:
    """The application on the socket. `doors`: those of the clusters that run, by name, as of now."""

    def __init__(self, claims: Claims, doors: Mapping[str, Door], secrets: Path) -> None:
        self._claims, self._doors = claims, doors
        self._token = _token(secrets).encode()
        self._ended = asyncio.Event()
        self._opened: aiohttp.ClientSession | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            await (await self._answer(request))(scope, receive, send)
        except ClientDisconnect:
            return
        except ArgosyError as error:
            failed = quote(msgspec.json.encode(error.body()))
            await Response(status_code=error.status, headers={FAILED: failed})(scope, receive, send)

    async def close(self) -> None:
        self._ended.set()
        if self._opened is not None:
            await self._opened.close()

    async def _answer(self, request: Request) -> Response:
        if not hmac.compare_digest(request.headers.get(TOKEN, "").encode(), self._token):
            raise Unauthenticated("this socket needs its token", code="auth.passage")
        path = request.scope["raw_path"].decode("latin-1")
        match path.split("/", 6):
            case ["", "routes"]:
                return StreamingResponse(self._told(), media_type="application/x-ndjson")
            case ["", "backends", cluster, namespace, service, port, rest]:
                backend = self._backend(cluster, namespace, service, unquote(port))
                return await self._pass_on(request, backend, f"/{rest}")
            case _:
                raise NotFound("there is nothing under this path")

    async def _told(self) -> AsyncIterator[bytes]:
        """Never half of it: what a cluster holds counts from when all of it has been read."""
        changed = asyncio.Event()
        deaf = self._claims.on_change(changed.set)
        try:
            while not self._ended.is_set():
                changed.clear()
                for door in list(self._doors.values()):
                    await door.opened.wait()
                yield msgspec.json.encode(Routes([_route(one) for one in self._claims.granted()])) + b"\n"
                await self._next(changed)
        finally:
            deaf()

    async def _next(self, changed: asyncio.Event) -> None:
        waiting = [asyncio.ensure_future(one.wait()) for one in (changed, self._ended)]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()
        await asyncio.sleep(_GATHER_SECONDS)

    def _backend(self, cluster: str, namespace: str, service: str, port: str) -> Backend:
        door = self._doors.get(cluster)
        if door is None:
            raise Unavailable(f"the cluster {cluster!r} does not run", code="ingress.cluster")
        if not self._claims.reaches(cluster, namespace, service, port):
            raise NotFound("no Ingress names this Service", code="ingress.route")
        found = door.backend(namespace, service, port)
        if isinstance(found, NoBackend):
            raise Unavailable(found.words, code="ingress.no_backend", context={"retry_after": 1})
        return found

    async def _pass_on(self, request: Request, backend: Backend, rest: str) -> Response:
        if backend.address is None:
            who = f"the pod {backend.pod}" if backend.pod else "what is behind it"
            raise Unavailable(
                f"{who} ({backend.shown}) was chosen to answer, but it is simulated: nothing runs in it",
                code="ingress.simulated",
                cure="the route works; a pod answers on nodes that run processes or containers",
                context={"pod": backend.pod, "endpoint": backend.shown},
            )
        host, port = backend.address
        query = request.scope["query_string"].decode("latin-1")
        url = URL(f"http://{host}:{port}{rest}" + (f"?{query}" if query else ""), encoded=True)
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS, sock_read=_SILENT_SECONDS)
        try:
            answer = await self._session().request(
                request.method,
                url,
                headers=[pair for pair in request.headers.items() if pair[0] not in _OF_THE_CONNECTION],
                data=request.stream() if _has_body(request) else None,
                allow_redirects=False,
                skip_auto_headers=("user-agent", "accept", "accept-encoding", "content-type"),
                timeout=timeout,
            )
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unavailable(
                f"the pod {backend.pod} ({backend.shown}) does not answer",
                code="ingress.no_answer",
                context={"retry_after": 1},
                detail=str(error) or type(error).__name__,
            ) from error
        passed = StreamingResponse(_body(answer), answer.status)
        passed.raw_headers = [
            (name.lower(), value)
            for name, value in answer.raw_headers
            if name.lower().decode("latin-1") not in {*_OF_THE_CONNECTION, FAILED}
        ]
        return passed

    def _session(self) -> aiohttp.ClientSession:
        if self._opened is None:
            self._opened = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._opened


async def _body(answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """As it comes. Cut, not drained, when nobody reads on."""
    try:
        async for chunk in answer.content.iter_any():
            yield chunk
    finally:
        answer.close()


def _has_body(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


def _route(claim: Claim) -> IngressRoute:
    owner, wish = claim
    return IngressRoute(
        owner.cluster, owner.namespace, owner.name, wish.host, wish.path, wish.covers, wish.service, wish.port
    )


def _token(secrets: Path) -> str:
    file = secrets / SECRET_FILE
    create_once(file, token().encode(), 0o600)
    return file.read_text().strip()
