"""What is no call: bodies of any size that stream both ways, such as a push, between parts in different processes.

A service may answer such requests with an ASGI app of its own (`Running.passages`). It is reached at `/raw/<service>/…` of its process, with
the same token as a call; the app finds who asks under `CALL` in its scope. Towards the asking side (the gateway) both sides of the process
boundary look the same: `LocalPassage` and `RemotePassage`. Nothing is held back: whoever reads slowly slows the other end down.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

import aiohttp
import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from yarl import URL

from argosy.kit.calls import Call
from argosy.kit.errors import ArgosyError, NotFound, Unauthenticated, Unavailable
from argosy.kit.ids import new_id
from argosy.kit.log import bound
from argosy.kit.rpc import wire
from argosy.kit.rpc.server import Authenticate, call_of

PREFIX = "/raw/"
CALL = "argosy.call"
SECONDS = 3600.0
_SILENT_SECONDS = 300.0
Body = AsyncIterator[bytes]
Found = Callable[[str], ASGIApp | None]  # a service's app; None while it is not ready
Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to pass on. `path` begins with `/`; `query` is raw."""

    method: str
    path: str
    query: str
    headers: Headers
    body: Body


@dataclass(frozen=True, slots=True)
class Passed:
    status: int
    headers: Headers
    body: Body


class Passage(Protocol):
    def __call__(self, call: Call, asked: Asked) -> AbstractAsyncContextManager[Passed]:
        """The answer, as soon as it begins; the request's body may still be on its way."""


class RemotePassage:
    def __init__(
        self,
        service: str,
        base: str,
        session: aiohttp.ClientSession,
        tokens: Callable[[Call, str], Awaitable[str]],
    ) -> None:
        self._service, self._base, self._session, self._tokens = service, base, session, tokens

    @contextlib.asynccontextmanager
    async def __call__(self, call: Call, asked: Asked) -> AsyncIterator[Passed]:
        url = f"{self._base}{PREFIX}{self._service}{quote(asked.path, safe='/')}"
        headers = {
            **asked.headers,
            "authorization": f"Bearer {await self._tokens(call, self._service)}",
            wire.DEADLINE: f"{call.deadline:.3f}",
            wire.REQUEST_ID: call.request_id,
            wire.REMOTE: call.remote,
            wire.USER_AGENT: call.user_agent,
        }
        silence = aiohttp.ClientTimeout(total=None, sock_connect=5, sock_read=_SILENT_SECONDS)
        try:
            async with self._session.request(
                asked.method,
                URL(f"{url}?{asked.query}" if asked.query else url, encoded=True),  # as it came: `..` stays
                data=asked.body if asked.method == "POST" else None,
                headers=headers,
                timeout=silence,
                allow_redirects=False,
            ) as answer:
                found = {name.lower(): value for name, value in answer.headers.items()}
                yield Passed(answer.status, found, answer.content.iter_any())
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unavailable(
                f"the service {self._service} cannot be reached",
                code="service.unavailable",
                cure="it is restarted by itself; try again in a moment",
                context={"service": self._service},
            ) from error


class LocalPassage:
    """In this process: the app runs as a task beside whoever reads its answer, a piece ahead of them at most."""

    def __init__(self, service: str, found: Found) -> None:
        self._service, self._found = service, found

    @contextlib.asynccontextmanager
    async def __call__(self, call: Call, asked: Asked) -> AsyncIterator[Passed]:
        app = _present(self._service, self._found)
        messages: asyncio.Queue[Message] = asyncio.Queue(maxsize=1)
        names = [(name.lower().encode(), value.encode("latin-1")) for name, value in asked.headers.items()]
        scope: Scope = {
            "type": "http", "method": asked.method, "path": asked.path, "query_string": asked.query.encode(),
            "headers": names, CALL: call,
        }  # fmt: skip
        task = asyncio.create_task(self._run(app, scope, asked.body, messages))
        try:
            start = await messages.get()
            if start["type"] != "http.response.start":
                raise Unavailable(f"{self._service} gave no answer")
            headers = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
            yield Passed(start["status"], headers, _pieces(messages))
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _run(self, app: ASGIApp, scope: Scope, body: Body, messages: asyncio.Queue[Message]) -> None:
        try:
            await app(scope, _receiving(body), messages.put)
        finally:
            with contextlib.suppress(asyncio.QueueFull):  # then nobody reads any more
                messages.put_nowait({"type": "over"})


async def _pieces(messages: asyncio.Queue[Message]) -> AsyncGenerator[bytes, None]:
    while (message := await messages.get())["type"] == "http.response.body":
        if message.get("body"):
            yield message["body"]
        if not message.get("more_body", False):
            return
    raise Unavailable("the answer broke off")


def _receiving(body: Body) -> Receive:
    over = False

    async def receive() -> Message:
        nonlocal over
        if over:
            return {"type": "http.disconnect"}
        piece = await anext(body, None)
        over = piece is None
        return {"type": "http.request", "body": piece or b"", "more_body": not over}

    return receive


class PassageApp:
    """The answering side: in front of a process's RPC."""

    def __init__(self, rpc: ASGIApp, authenticate: Authenticate, found: Found) -> None:
        self._rpc, self._authenticate, self._found = rpc, authenticate, found

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["path"].startswith(PREFIX):
            await self._rpc(scope, receive, send)
            return
        request = Request(scope, receive)
        request_id = request.headers.get(wire.REQUEST_ID) or new_id()
        with bound(request_id=request_id):
            try:
                app, inner = await self._entered(request, request_id)
            except ArgosyError as error:
                body = msgspec.json.encode(error.body(request_id))
                await Response(body, error.status, media_type="application/json")(scope, receive, send)
                return
            with contextlib.suppress(ClientDisconnect):
                await app(inner, receive, send)

    async def _entered(self, request: Request, request_id: str) -> tuple[ASGIApp, Scope]:
        service, slash, rest = request.scope["path"].removeprefix(PREFIX).partition("/")
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated("a token is needed on every port", code="auth.token")
        claimed = await self._authenticate(token, service)
        call = call_of(request, request_id, claimed, SECONDS)
        return _present(service, self._found), {**request.scope, "path": f"{slash}{rest}", CALL: call}


def _present(service: str, found: Found) -> ASGIApp:
    try:
        app = found(service)
    except KeyError:
        raise NotFound(f"nothing of {service} is served here") from None
    if app is None:
        raise Unavailable(
            f"{service} is starting",
            code="service.unavailable",
            cure="it recovers by itself; `argosy status` shows what it waits for",
            context={"service": service},
        )
    return app
