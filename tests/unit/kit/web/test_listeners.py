"""A server that is told to stop: it waits for those who still get something, and for nobody else."""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import uvloop
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from argosy.kit.web.listeners import listener
from argosy.kube.server.access import Authority

Stop = Callable[[], Awaitable[float]]
GRACE = 2.0
"""Far from the seconds that a request under way would get, far above what a stop takes."""


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["path"] == "/slow":
        await StreamingResponse(dripping())(scope, receive, send)
    else:
        await PlainTextResponse("here")(scope, receive, send)


async def dripping() -> AsyncIterator[bytes]:
    for _ in range(10):
        yield b"drop "
        await asyncio.sleep(0.1)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.load(tmp_path_factory.mktemp("pki"), hosts=["127.0.0.1"])


@asynccontextmanager
async def stopping(authority: Authority, path: str = "/") -> AsyncIterator[tuple[ssl.SSLSocket, Stop]]:
    """A client that said no more than its request, and nothing in it answers TLS by itself; and how long a stop takes."""
    server = listener(app, context=authority.ssl_context())
    door = socket.create_server(("127.0.0.1", 0))
    serving = asyncio.create_task(server.serve(sockets=[door]))
    await server.listening.wait()

    async def stop() -> float:
        begun = time.monotonic()
        server.stop()
        await serving
        return time.monotonic() - begun

    try:
        with await asyncio.to_thread(asked, door.getsockname(), authority, path) as link:
            yield link, stop
    finally:
        await stop()


def asked(address: tuple[str, int], authority: Authority, path: str) -> ssl.SSLSocket:
    plain = socket.create_connection(address, timeout=10)
    trusting = ssl.create_default_context(cadata=authority.certificate_pem)
    link = trusting.wrap_socket(plain, server_hostname="127.0.0.1")
    link.sendall(f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
    return link


async def read(link: ssl.SSLSocket, end: bytes) -> bytes:
    received = b""
    while end not in received and (more := await asyncio.to_thread(link.recv, 4096)):
        received += more
    return received


def test_a_client_that_never_says_goodbye_is_not_waited_for(authority: Authority) -> None:
    async def story() -> None:
        async with stopping(authority) as (link, stop):
            assert b"here" in await read(link, b"here")
            assert await stop() < GRACE

    uvloop.run(story())


def test_an_answer_under_way_is_finished_first(authority: Authority) -> None:
    async def story() -> None:
        async with stopping(authority, "/slow") as (link, stop):
            begun = await read(link, b"drop ")
            ended = asyncio.create_task(stop())
            received = begun + await read(link, b"\r\n0\r\n")
            assert received.count(b"drop ") == 10
            assert await ended < 1 + GRACE

    uvloop.run(story())
