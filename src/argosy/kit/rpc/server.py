"""The answering side: an ASGI app that turns requests into calls of the dispatchers in this process.

`host.serve` mounts one per process. Who asks is told by the token alone; headers only carry what a token need not
vouch for (deadline, request id, the remote address that the gateway saw).
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from typing import Protocol

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from argosy.kit.calls import Call, Principal
from argosy.kit.errors import ArgosyError, BadRequest, Internal, NotFound, TooLarge, Unauthenticated
from argosy.kit.ids import new_id
from argosy.kit.log import bound, get_logger
from argosy.kit.operations import Operation
from argosy.kit.rpc import wire

log = get_logger(__name__)
MAX_BODY = 8 * 1024 * 1024
HEARTBEAT_SECONDS = 10.0


class Answers(Protocol):
    """A dispatcher: it knows its operations and checks rights before anything runs."""

    def operation(self, name: str) -> Operation: ...

    async def call(self, operation: Operation, call: Call, request: msgspec.Struct) -> msgspec.Struct: ...

    def stream(
        self, operation: Operation, call: Call, request: msgspec.Struct
    ) -> AsyncGenerator[msgspec.Struct, None]: ...


class Claimed(msgspec.Struct, frozen=True):
    principal: Principal
    service: str  # the part of the platform that presented the token


Authenticate = Callable[[str, str], Awaitable[Claimed]]  # (token, audience)


class RpcApp:
    def __init__(self, dispatchers: Mapping[str, Answers], authenticate: Authenticate) -> None:
        self._dispatchers, self._authenticate = dispatchers, authenticate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        request_id = request.headers.get(wire.REQUEST_ID) or new_id()
        with bound(request_id=request_id):
            try:
                response = await self._answer(request, request_id)
            except ArgosyError as error:
                response = Response(
                    msgspec.json.encode(error.body(request_id)), error.status, media_type="application/json"
                )
            except ClientDisconnect:
                return
            except Exception:  # the loop's top: what nobody foresaw is logged whole and told as ours
                log.exception("rpc.failed", path=scope["path"])
                body = Internal("something went wrong on our side").body(request_id)
                response = Response(msgspec.json.encode(body), 500, media_type="application/json")
            await response(scope, receive, send)

    async def _answer(self, request: Request, request_id: str) -> Response:
        match request.url.path.strip("/").split("/"):
            case ["svc", service, name] if request.method == "POST" and service in self._dispatchers:
                dispatcher = self._dispatchers[service]
            case _:
                raise NotFound(f"{request.method} {request.url.path} is not served here")
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated("a token is needed on every port", code="auth.token")
        claimed = await self._authenticate(token, service)
        operation = dispatcher.operation(name)
        call = call_of(request, request_id, claimed, operation.deadline)
        try:
            body = msgspec.json.decode(await _read(request), type=operation.request)
        except msgspec.DecodeError as error:
            raise BadRequest(f"{service}.{name}: {error}") from error
        if operation.streams:
            lines = _lines(dispatcher.stream(operation, call, body), request_id)
            return StreamingResponse(lines, media_type="application/x-ndjson")
        answer = await dispatcher.call(operation, call, body)
        return Response(msgspec.json.encode(answer), media_type="application/json")


def call_of(request: Request, request_id: str, claimed: Claimed, seconds: float) -> Call:
    latest = time.time() + seconds
    try:
        deadline = min(float(request.headers.get(wire.DEADLINE, latest)), latest)
    except ValueError as error:
        raise BadRequest(f"{wire.DEADLINE} is not a time") from error
    return Call(
        principal=claimed.principal,
        request_id=request_id,
        deadline=deadline,
        service=claimed.service,
        remote=request.headers.get(wire.REMOTE, ""),
        user_agent=request.headers.get(wire.USER_AGENT, ""),
        idempotency_key=request.headers.get(wire.IDEMPOTENCY_KEY, ""),
    )


async def _read(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise TooLarge(f"the body is larger than {MAX_BODY} bytes")
    return bytes(body) or b"{}"


async def _lines(items: AsyncGenerator[msgspec.Struct, None], request_id: str) -> AsyncIterator[bytes]:
    """Heartbeats tell a silent stream from a dead one, on both sides."""
    pending: asyncio.Task[msgspec.Struct] | None = None
    try:
        while True:
            pending = pending or asyncio.ensure_future(_next(items))
            done, _ = await asyncio.wait({pending}, timeout=HEARTBEAT_SECONDS)
            if not done:
                yield wire.HEARTBEAT
                continue
            task, pending = pending, None
            try:
                yield (
                    msgspec.json.encode(wire.Line(item=msgspec.Raw(msgspec.json.encode(task.result()))))
                    + b"\n"
                )
            except StopAsyncIteration:
                yield wire.END
                return
            except ArgosyError as error:
                yield msgspec.json.encode(wire.Line(error=error.body(request_id))) + b"\n"
                return
    finally:
        if pending is not None:
            pending.cancel()
            with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration, ArgosyError):
                await pending
        await items.aclose()


async def _next(items: AsyncGenerator[msgspec.Struct, None]) -> msgspec.Struct:
    # A coroutine may not raise StopAsyncIteration through a task as is; anext inside one may.
    return await anext(items)
