"""HTTPS in front of a cluster: connections become `wire.Request`s, answers and streams go back.

`host` gives it a socket and the cluster's TLS context. A client certificate that TLS has verified travels with each request of
its connection; who that is, `access` decides.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from typing import cast
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope, Send

from argosy.kit.web.bounded_http import BoundedHttp
from argosy.kit.web.listeners import Listener, listener
from argosy.kube.errors import too_large
from argosy.kube.server.api import answers
from argosy.kube.server.decoding.text import MOST_BYTES
from argosy.kube.wire import Handler, Request, Response

_PEER = "argosy.peer"


class _WithPeer(BoundedHttp):
    """Puts the client's certificate into the scope, which ASGI has no place for."""

    _peer: bytes | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        secured = transport.get_extra_info("ssl_object")
        self._peer = secured.getpeercert(binary_form=True) if secured is not None else None

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {_PEER: {"certificate": self._peer}}


async def serve(
    handle: Handler, door: socket.socket, tls: ssl.SSLContext | None, stop: asyncio.Event
) -> None:
    """Until `stop`; then open requests get some seconds, and watches are ended."""
    app = _App(handle)
    server: Listener = listener(app, context=tls, http=_WithPeer)
    serving = asyncio.ensure_future(server.serve(sockets=[door]))
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        app.end_streams()
        server.stop()
        await serving


class _App:
    def __init__(self, handle: Handler) -> None:
        self._handle = handle
        self._ending = asyncio.Event()

    def end_streams(self) -> None:
        self._ending.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        if body is None:
            await _send(send, answers.failure(too_large(f"Request entity too large: limit is {MOST_BYTES}")))
            return
        response = await self._handle(_request(scope, body))
        if isinstance(response.body, bytes):
            await _send(send, response)
        else:
            await self._stream(response, response.body, receive, send)

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


async def _body(receive: Receive) -> bytes | None:
    """None: too large; the rest is not read."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MOST_BYTES:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _request(scope: Scope, body: bytes) -> Request:
    query = scope["query_string"].decode("latin-1")
    return Request(
        method=scope["method"],
        path=scope["path"],
        query=tuple(parse_qsl(query, keep_blank_values=True)) if query else (),
        headers=_headers(scope["headers"]),
        body=body,
        peer=cast("dict[str, dict[str, bytes | None]]", scope["extensions"])[_PEER]["certificate"],
        address=scope["client"][0] if scope.get("client") else "",
    )


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
