"""The body of git's request on its way in: unpacked where git packed it, with a limit on what comes out and on how long nothing comes."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from argosy.kit.errors import BadRequest, TooLarge, UnsupportedMedia

SILENT_SECONDS = 120.0
_PIECE = 64 * 1024
_GZIP = 16 + zlib.MAX_WBITS


async def received(receive: Receive) -> AsyncIterator[bytes]:
    """Raises `ClientDisconnect` when the client goes away before its end."""
    more = True
    while more:
        try:
            async with asyncio.timeout(SILENT_SECONDS):
                message = await receive()
        except TimeoutError as error:
            raise BadRequest(f"nothing came for {SILENT_SECONDS:g} s", code="body.slow") from error
        if message["type"] != "http.request":
            raise ClientDisconnect
        more = message.get("more_body", False)
        if message.get("body"):
            yield message["body"]


async def unpacked(pieces: AsyncIterator[bytes], encoding: str) -> AsyncIterator[bytes]:
    match encoding.strip().lower():
        case "" | "identity":
            async for piece in pieces:
                yield piece
        case "gzip" | "x-gzip":
            async for piece in _inflated(pieces):
                yield piece
        case _:
            raise UnsupportedMedia(
                f"the body is packed as {encoding[:60]!r}", cure="send it plain or as gzip"
            )


async def _inflated(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """In small steps: a bomb fills no memory, and who counts the pieces ends it."""
    inflate = zlib.decompressobj(_GZIP)
    try:
        async for piece in pieces:
            rest = piece
            while rest:
                if out := inflate.decompress(rest, _PIECE):
                    yield out
                rest = inflate.unconsumed_tail
            if inflate.unused_data:
                raise zlib.error("something follows its end")
    except zlib.error as error:
        raise BadRequest(f"the body is not what gzip makes: {error}", code="body.gzip") from error
    if not inflate.eof:
        raise BadRequest("the body ends before its gzip does", code="body.gzip")


async def limited(pieces: AsyncIterator[bytes], limit: int) -> AsyncIterator[bytes]:
    taken = 0
    async for piece in pieces:
        taken += len(piece)
        if taken > limit:
            raise TooLarge(f"the body is larger than {limit // 1024} KiB", cure="ask for less at once")
        yield piece
