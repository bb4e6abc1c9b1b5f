"""A route's answer: bind the request, ask the service, and give the result the shape the route names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import cast

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from argosy.backends.hosting.dispatch import check_rights
from argosy.contracts.audit import ExportChunk
from argosy.kit.calls import Call
from argosy.kit.errors import ArgosyError, BadRequest, TooLarge, Unavailable, UnsupportedMedia
from argosy.kit.operations import Operation
from argosy.kit.rpc.client import Upstream
from argosy.kit.web.binding import bind_body, bind_query
from argosy.platform.gateway.routes import Forwarded
from argosy.platform.gateway.settings import GatewaySettings
from argosy.platform.gateway.streams import Again, OpenStreams, until
from argosy.platform.gateway.telling import body_for


def json_response(value: object, status: int = 200) -> Response:
    return Response(
        msgspec.json.encode(value),
        status,
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )


async def read_body(request: Request, limit: int, seconds: float) -> bytes:
    try:
        async with asyncio.timeout(seconds):
            return await _read(request, limit)
    except TimeoutError as error:
        raise BadRequest(
            f"the body did not arrive within {seconds:g} s", code="body.slow", cure="send it again, at once"
        ) from error


async def _read(request: Request, limit: int) -> bytes:
    if (encoding := request.headers.get("content-encoding", "identity").lower()) not in ("", "identity"):
        raise UnsupportedMedia(f"the body is packed as {encoding[:60]!r}", cure="send it plain")
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit():
        raise BadRequest("the content length is not a number")
    body = bytearray()
    if int(declared) <= limit:
        async for chunk in request.stream():
            body += chunk
            if len(body) > limit:
                break
        else:
            return bytes(body)
    raise TooLarge(f"the body is larger than {limit} bytes", cure="send less at once")


async def bind(
    target: Forwarded, named: Mapping[str, str], request: Request, settings: GatewaySettings
) -> msgspec.Struct:
    kind = target.operation.request
    if target.route.method in ("GET", "DELETE"):
        query = [pair for pair in request.query_params.multi_items() if pair[0] not in target.route.ignores]
        return bind_query(kind, named, query)
    unknown = [name for name in request.query_params if name not in target.route.ignores]
    if unknown:
        raise BadRequest(
            f"the query parameter {unknown[0][:60]!r} is not known here", cure="send it in the body"
        )
    body = await read_body(request, settings.max_body_bytes, settings.body_seconds)
    return bind_body(kind, named, request.headers.get("content-type", ""), body)


async def answer(
    target: Forwarded,
    upstream: Upstream,
    call: Call,
    body: msgspec.Struct,
    streams: OpenStreams,
    still: Again,
) -> Response:
    if not target.operation.streams:
        result = await upstream.call(target.operation, call, body)
        if target.route.shape == "text":
            return PlainTextResponse(
                str(getattr(result, target.route.takes)), headers={"cache-control": "no-store"}
            )
        return json_response(result)
    items = upstream.stream(target.operation, call, body)
    await _refuse_whole(target.operation, call, items)
    if target.route.shape == "download":
        return await _download(cast(AsyncIterator[ExportChunk], items), call, streams, still)
    return StreamingResponse(
        _events(items, call, streams, still),
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


async def _refuse_whole(operation: Operation, call: Call, items: AsyncIterator[msgspec.Struct]) -> None:
    """A stream that will be refused is asked for its first item before the answer begins: the service refuses, has it
    in its audit log, and the caller gets an ordinary 403 instead of a stream that holds one."""
    try:
        check_rights(operation, call)
    except ArgosyError:
        await anext(items, None)
        raise


async def _events(
    items: AsyncIterator[msgspec.Struct], call: Call, streams: OpenStreams, still: Again
) -> AsyncIterator[bytes]:
    """Server-sent events; the first comment tells the client that the stream is open."""
    yield b": open\n\n"
    with streams.watch(call.principal, still) as ended:
        try:
            async for item in until(ended, items):
                yield b": alive\n\n" if item is None else b"data: " + msgspec.json.encode(item) + b"\n\n"
        except ArgosyError as error:
            yield (
                b"event: error\ndata: "
                + msgspec.json.encode(body_for(error, call.request_id, call.principal))
                + b"\n\n"
            )
            return
    yield b"event: end\ndata: {}\n\n"


async def _download(
    chunks: AsyncIterator[ExportChunk], call: Call, streams: OpenStreams, still: Again
) -> Response:
    """The first chunk names the file, so an error before it is still an ordinary answer. A download that is ended
    breaks off without its last chunk, so that no client takes the part for the whole."""
    first = await anext(chunks, ExportChunk(b"", "empty", "text/plain"))

    async def rest() -> AsyncIterator[bytes]:
        yield first.data
        with streams.watch(call.principal, still) as ended:
            async for chunk in until(ended, chunks):
                yield b"" if chunk is None else chunk.data
            if ended.is_set():
                raise Unavailable(
                    "the download was ended: the platform stops, or the credential is not good any more"
                )

    name = "".join(letter for letter in first.filename if letter.isalnum() or letter in "-_.")
    return StreamingResponse(
        rest(),
        media_type=first.content_type or "application/octet-stream",
        headers={"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"},
    )
