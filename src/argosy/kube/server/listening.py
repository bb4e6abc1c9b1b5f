"""HTTPS in front of a cluster: connections become `wire.Request`s, answers and streams go back.

`host` gives it a socket and the cluster's TLS context. A client certificate that TLS has verified travels with each request of
its connection; who that is, `access` decides.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import NamedTuple, cast
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope, Send

from argosy.kit.web.bounded_http import BoundedHttp
from argosy.kit.web.listeners import Listener, listener
from argosy.kube.errors import bad_request, too_large, too_many_requests
from argosy.kube.server.api import answers
from argosy.kube.server.decoding.text import MOST_BYTES
from argosy.kube.wire import Handler, Request, Response

_CONNECTION = "argosy.connection"
_PIECE_BYTES = 256 << 10
_PIECE_SECONDS = 60.0
_MOST_UNREAD = 256 << 20
"""So much may wait for clients that read slowly; long answers are refused then, until they have read or were cut off."""


class _Connection(NamedTuple):
    """What ASGI has no place for."""

    certificate: bytes | None
    abort: Callable[[], None]


class _WithConnection(BoundedHttp):
    _peer: bytes | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        secured = transport.get_extra_info("ssl_object")
        self._peer = secured.getpeercert(binary_form=True) if secured is not None else None

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"][_CONNECTION] = _Connection(self._peer, self.transport.abort)


async def serve(
    handle: Handler, door: socket.socket, tls: ssl.SSLContext | None, stop: asyncio.Event
) -> None:
    """Until `stop`; then open requests get some seconds, and watches are ended."""
    app = _App(handle)
    server: Listener = listener(app, context=tls, http=_WithConnection)
    serving = asyncio.ensure_future(server.serve(sockets=[door]))
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        app.end_streams()
        server.stop()
        await serving


_BUSY = answers.failure(too_many_requests("Too many requests, please try again later.", retry_after=1))


class _App:
    def __init__(self, handle: Handler) -> None:
        self._handle = handle
        self._ending = asyncio.Event()
        self._unread = 0
        """Bytes of long answers on their way."""

    def end_streams(self) -> None:
        self._ending.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._handle(_request(scope, receive))
        if isinstance(response.body, bytes):
            await self._whole(response, response.body, scope, receive, send)
        else:
            await self._stream(response, response.body, receive, send)

    async def _whole(
        self, response: Response, body: bytes, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """A long answer goes out as fast as it is read, and who stops reading is cut off: it is kept in memory meanwhile."""
        if len(body) <= _PIECE_BYTES:
            await _send(send, response)
            return
        if self._unread + len(body) > _MOST_UNREAD:
            await _send(send, _BUSY)
            return
        self._unread += len(body)
        try:
            await send(_start(response))
            for at in range(0, len(body), _PIECE_BYTES):
                piece = body[at : at + _PIECE_BYTES]
                more = at + _PIECE_BYTES < len(body)
                async with asyncio.timeout(_PIECE_SECONDS):
                    await send({"type": "http.response.body", "body": piece, "more_body": more})
                await asyncio.sleep(0)
        except TimeoutError:
            _connection(scope).abort()
            await _disconnected(receive)
        finally:
            self._unread -= len(body)

    async def _stream(
        self, response: Response, lines: AsyncIterator[bytes], receive: Receive, send: Send
    ) -> None:
        await send(_start(response))
        sending = asyncio.ensure_future(_send_all(lines, send))
        gone = asyncio.ensure_future(_disconnected(receive))
        ending = asyncio.ensure_future(self._ending.wait())
        try:
            await asyncio.wait({sending, gone, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (gone, ending):
                task.cancel()
            if not sending.done():
                sending.cancel()
            await asyncio.gather(sending, gone, ending, return_exceptions=True)
        if not gone.done() or gone.cancelled():
            await send({"type": "http.response.body", "body": b""})
        if not sending.cancelled() and (error := sending.exception()) is not None:
            raise error


async def _send_all(lines: AsyncIterator[bytes], send: Send) -> None:
    try:
        async for line in lines:
            await send({"type": "http.response.body", "body": line, "more_body": True})
    finally:
        close = getattr(lines, "aclose", None)
        if close is not None:
            await close()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _body(receive: Receive) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise bad_request("unexpected EOF")  # half of a YAML text is YAML too, and not what was meant
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MOST_BYTES:
            raise too_large(f"Request entity too large: limit is {MOST_BYTES}")
        if not message.get("more_body"):
            return b"".join(parts)


def _request(scope: Scope, receive: Receive) -> Request:
    query = scope["query_string"].decode("latin-1")
    headers = _headers(scope["headers"])
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    return Request(
        method=scope["method"],
        path=scope["path"],
        query=tuple(parse_qsl(query, keep_blank_values=True)) if query else (),
        headers=headers,
        rest=partial(_body, receive) if has_body else None,
        peer=_connection(scope).certificate,
        address=scope["client"][0] if scope.get("client") else "",
    )


def _connection(scope: Scope) -> _Connection:
    return cast(_Connection, scope["state"][_CONNECTION])


def _headers(pairs: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Names are lower-case already. What stands twice is joined as HTTP has it, but for names that may contain commas."""
    found: dict[str, str] = {}
    for name, value in pairs:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        between = "\n" if key.startswith("impersonate-") else ","
        found[key] = f"{found[key]}{between}{text}" if key in found else text
    return found


def _start(response: Response) -> dict[str, object]:
    headers = [
        (name.encode("latin-1"), line.encode("latin-1", "replace"))
        for name, value in response.headers.items()
        for line in value.split("\n")
    ]
    if isinstance(response.body, bytes):
        headers.append((b"content-length", str(len(response.body)).encode()))
    return {"type": "http.response.start", "status": response.status, "headers": headers}


async def _send(send: Send, response: Response) -> None:
    await send(_start(response))
    await send({"type": "http.response.body", "body": response.body})
