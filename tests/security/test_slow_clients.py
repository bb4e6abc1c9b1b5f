"""Who sends half a request and waits is cut off, on every port; who sends it whole is not hurried."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from argosy.kit.errors import ArgosyError
from argosy.kit.web.bounded_http import BoundedHttp
from argosy.kit.web.listeners import Listener, listener
from argosy.platform.gateway.forward import read_body
from tests.installation import Installation
from tests.security.wire import raw, statuses

Dial = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
HEAD = b"POST /x HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n"


class Hasty(BoundedHttp):
    head_seconds = 0.2


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    try:
        body = await read_body(Request(scope, receive), 100, seconds=0.2)
        response = PlainTextResponse(body)
    except ArgosyError as error:
        response = PlainTextResponse(error.code, error.status)
    await response(scope, receive, send)


@asynccontextmanager
async def serving() -> AsyncIterator[Dial]:
    """On a port of its own, with the patience of a fifth of a second."""
    config = listener(app).config
    assert config.http is BoundedHttp
    config.http = Hasty
    server = Listener(config)
    door = socket.create_server(("127.0.0.1", 0))
    task = asyncio.create_task(server.serve(sockets=[door]))
    await server.listening.wait()
    try:
        yield lambda: asyncio.open_connection(*door.getsockname())
    finally:
        server.stop()
        await task


@pytest.mark.parametrize(
    "said", [b"", b"POST /x HT", HEAD, HEAD[:-2], b"POST /x HTTP/1.1\r\nX: " + b"a" * 1000]
)
async def test_half_a_head_is_not_waited_for(said: bytes) -> None:
    async with serving() as dial, asyncio.timeout(5):
        reader, writer = await dial()
        writer.write(said)

        assert await reader.read() == b""
        writer.close()


async def test_a_head_that_drips_does_not_buy_time() -> None:
    async with serving() as dial, asyncio.timeout(5):
        reader, writer = await dial()
        ended = asyncio.create_task(reader.read())
        for letter in b"POST /x HTTP/1.1\r\nX: " + b"a" * 1000:
            if ended.done():
                break
            writer.write(bytes([letter]))
            await asyncio.sleep(0.01)

        assert ended.done()
        writer.close()


async def test_half_a_head_after_a_whole_request_is_not_waited_for_either() -> None:
    async with serving() as dial, asyncio.timeout(5):
        reader, writer = await dial()
        writer.write(HEAD + b"\r\nabcd" + b"POST /x HTTP/1.1\r\nX")

        assert statuses(await reader.read()) == [200]
        writer.close()


@pytest.mark.parametrize(
    "length", [b"Content-Length: 4\r\n\r\nab", b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"]
)
async def test_a_body_without_end_is_not_waited_for(length: bytes) -> None:
    async with serving() as dial, asyncio.timeout(5):
        reader, writer = await dial()
        writer.write(b"POST /x HTTP/1.1\r\nHost: here\r\nConnection: close\r\n" + length)

        answer = await reader.read()

        assert statuses(answer) == [400]
        assert answer.endswith(b"body.slow")
        writer.close()


async def test_a_kept_connection_may_rest_between_requests() -> None:
    async with serving() as dial, asyncio.timeout(5):
        reader, writer = await dial()
        for _ in range(2):
            writer.write(HEAD + b"\r\nabcd")
            assert b"abcd" in await reader.readuntil(b"abcd")
            await asyncio.sleep(0.4)
        writer.close()


CHUNKED = b"POST /x HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"


@pytest.mark.parametrize("length", [b"Content-Length: 90", b"Transfer-Encoding: chunked"])
async def test_the_rest_of_a_body_that_drips_after_the_answer_holds_no_connection(length: bytes) -> None:
    async with serving() as dial, asyncio.timeout(5):
        reader, writer = await dial()
        writer.write(b"POST /x HTTP/1.1\r\nHost: here\r\n" + length + b"\r\n\r\n")
        ended = asyncio.create_task(reader.read())
        for _ in range(80):
            if ended.done():
                break
            writer.write(b"1" if b"Length" in length else b"1\r\na\r\n")
            await asyncio.sleep(0.01)

        assert ended.done()
        assert statuses(ended.result()) == [400]
        writer.close()


async def test_a_body_that_ends_after_its_answer_leaves_the_connection_usable() -> None:
    async with serving() as dial, asyncio.timeout(5):
        reader, writer = await dial()
        writer.write(HEAD + b"\r\nab")
        assert b"body.slow" in await reader.readuntil(b"body.slow")
        writer.write(b"cd")
        await asyncio.sleep(0.4)

        writer.write(HEAD + b"\r\nabcd")

        assert b"abcd" in await reader.readuntil(b"abcd")
        writer.close()


async def test_trailers_without_end_are_not_gathered() -> None:
    async with serving() as dial, asyncio.timeout(5):
        reader, writer = await dial()
        writer.write(CHUNKED + b"0\r\nX: ")
        ended = asyncio.create_task(reader.read())
        sent = 0
        while not ended.done() and sent < 8_000_000:
            writer.write(b"a" * 16_384)
            sent += 16_384
            await asyncio.sleep(0)

        assert ended.done()
        writer.close()


@pytest.mark.long
@pytest.mark.parametrize(
    "said", [b"GET /api/version HTT", b"POST /api/auth/login HTTP/1.1\r\nContent-Length: 9\r\n"]
)
def test_the_public_port_cuts_off_who_stops_in_the_middle(installation: Installation, said: bytes) -> None:
    assert raw(installation.url, said, timeout=40) == b""
