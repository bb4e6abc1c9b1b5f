"""The asking side: proxies that look like a contract and speak to a dispatcher here or over HTTP.

`local` gives the object in this process behind the same checks; `RemoteService` sends the call. A caller cannot
tell which it holds. Reads are retried once on a broken connection; writes only with an idempotency key.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, TypeVar, cast

import aiohttp
import msgspec

from argosy.kit.calls import Call
from argosy.kit.errors import DeadlineExceeded, ErrorBody, Internal, Unavailable, from_body
from argosy.kit.operations import Operation, operations
from argosy.kit.rpc import wire
from argosy.kit.rpc.server import Answers

T = TypeVar("T")
TokenSource = Callable[[Call, str], Awaitable[str]]  # (call, audience) -> a token that vouches for the call


class Upstream:
    """One service as its callers see it, whichever process it is in."""

    async def call(self, operation: Operation, call: Call, request: msgspec.Struct) -> msgspec.Struct:
        raise NotImplementedError

    def stream(
        self, operation: Operation, call: Call, request: msgspec.Struct
    ) -> AsyncGenerator[msgspec.Struct, None]:
        raise NotImplementedError


class LocalService(Upstream):
    """In this process. With `encode`, what crosses is encoded and decoded all the same: tests run so, to keep the
    contracts honest about what survives a wire."""

    def __init__(self, dispatcher: Answers, *, encode: bool = False) -> None:
        self._dispatcher, self._encode = dispatcher, encode

    async def call(self, operation: Operation, call: Call, request: msgspec.Struct) -> msgspec.Struct:
        answer = await self._dispatcher.call(operation, call, self._crossed(request, operation.request))
        return self._crossed(answer, operation.response)

    async def stream(
        self, operation: Operation, call: Call, request: msgspec.Struct
    ) -> AsyncGenerator[msgspec.Struct, None]:
        crossed = self._crossed(request, operation.request)
        async with aclosing(self._dispatcher.stream(operation, call, crossed)) as items:
            async for item in items:
                yield self._crossed(item, operation.response)

    def _crossed(self, value: msgspec.Struct, kind: type[Any]) -> msgspec.Struct:
        if not self._encode:
            return value
        return cast(msgspec.Struct, msgspec.json.decode(msgspec.json.encode(value), type=kind))


class RemoteService(Upstream):
    """Over HTTP: `session` holds the connections (to a Unix socket or a URL), `tokens` vouches for each call."""

    def __init__(self, name: str, base: str, session: aiohttp.ClientSession, tokens: TokenSource) -> None:
        self._name, self._base, self._session, self._tokens = name, base.rstrip("/"), session, tokens

    async def call(self, operation: Operation, call: Call, request: msgspec.Struct) -> msgspec.Struct:
        repeatable = not operation.writes or bool(call.idempotency_key)
        try:
            body = await self._post(operation, call, request)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            # A kept connection that the other side had closed: nothing was answered.
            if not repeatable:
                raise self._lost(operation, error) from error
            try:
                body = await self._post(operation, call, request)
            except aiohttp.ClientError as again:
                raise self._away() from again
        except aiohttp.ClientError as error:
            raise (self._away() if repeatable else self._lost(operation, error)) from error
        return cast(msgspec.Struct, msgspec.json.decode(body, type=operation.response))

    async def _post(self, operation: Operation, call: Call, request: msgspec.Struct) -> bytes:
        timeout = aiohttp.ClientTimeout(total=self._seconds_left(operation, call))
        headers = await self._headers(call)
        url = self._base + wire.path(self._name, operation.name)
        try:
            async with self._session.post(
                url, data=msgspec.json.encode(request), headers=headers, timeout=timeout
            ) as response:
                body = await response.read()
                if response.status != 200:
                    raise from_body(self._error(body))
                return body
        except TimeoutError as error:
            raise DeadlineExceeded(
                f"{self._name} did not answer {operation.name} in time",
                cure="try again; if it lasts, `argosy status` shows which process is stuck",
            ) from error

    async def stream(
        self, operation: Operation, call: Call, request: msgspec.Struct
    ) -> AsyncGenerator[msgspec.Struct, None]:
        silence = aiohttp.ClientTimeout(
            total=None, sock_connect=5, sock_read=30
        )  # heartbeats come every 10 s
        url = self._base + wire.path(self._name, operation.name)
        try:
            async with self._session.post(
                url, data=msgspec.json.encode(request), headers=await self._headers(call), timeout=silence
            ) as response:
                if response.status != 200:
                    raise from_body(self._error(await response.read()))
                async for raw in response.content:
                    line = msgspec.json.decode(raw, type=wire.Line)
                    if line.error is not None:
                        raise from_body(line.error)
                    if line.end:
                        return
                    if line.item:
                        yield msgspec.json.decode(line.item, type=operation.response)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise self._away() from error
        raise Unavailable(f"{self._name} ended the stream {operation.name} early")

    def _seconds_left(self, operation: Operation, call: Call) -> float:
        left = min(call.deadline - time.time(), operation.deadline)
        if left <= 0:
            raise DeadlineExceeded(f"no time is left to ask {self._name} for {operation.name}")
        return left

    async def _headers(self, call: Call) -> dict[str, str]:
        headers = {
            "authorization": f"Bearer {await self._tokens(call, self._name)}",
            "content-type": "application/json",
            wire.DEADLINE: f"{call.deadline:.3f}",
            wire.REQUEST_ID: call.request_id,
            wire.REMOTE: call.remote,
            wire.USER_AGENT: call.user_agent,
        }
        if call.idempotency_key:
            headers[wire.IDEMPOTENCY_KEY] = call.idempotency_key
        return headers

    def _lost(self, operation: Operation, error: aiohttp.ClientError) -> Unavailable:
        """A write that was sent may have been done: only where nobody took the connection it certainly was not."""
        if isinstance(error, aiohttp.ClientConnectorError):
            return self._away()
        return Unavailable(
            f"the connection to {self._name} was lost while it worked on {operation.name}",
            code="service.outcome_unknown",
            cure="look whether the change is there before trying again",
            context={"service": self._name},
        )

    def _away(self) -> Unavailable:
        return Unavailable(
            f"the service {self._name} cannot be reached",
            code="service.unavailable",
            cure="it is restarted by itself; try again in a moment",
            context={"service": self._name},
        )

    def _error(self, body: bytes) -> ErrorBody:
        try:
            return msgspec.json.decode(body, type=ErrorBody)
        except msgspec.DecodeError:
            return Internal(f"{self._name} gave an answer that is no error of ours").body()


class _Proxy:
    """Answers a contract's methods by passing them on. Made by `proxy`, which gives it the contract's type."""

    def __init__(self, contract: type, upstream: Upstream) -> None:
        self._upstream = upstream
        for operation in operations(contract).values():
            setattr(self, operation.name, self._method(operation))

    def _method(self, operation: Operation) -> Callable[..., Any]:
        def stream(*, call: Call, request: msgspec.Struct) -> AsyncGenerator[msgspec.Struct, None]:
            return self._upstream.stream(operation, call, request)

        async def ask(*, call: Call, request: msgspec.Struct) -> msgspec.Struct:
            return await self._upstream.call(operation, call, request)

        return stream if operation.streams else ask


def proxy(contract: type[T], upstream: Upstream) -> T:
    return cast(T, _Proxy(contract, upstream))
