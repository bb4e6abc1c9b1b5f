"""Pieces of a stream as the lines that they make."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator


async def lines(stream: bytes | AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Whole lines without their ends; what follows the last end counts as one."""
    if isinstance(stream, bytes):
        for line in stream.splitlines():
            yield line
        return
    rest: list[bytes] = []
    try:
        async for chunk in stream:
            *ended, last = chunk.split(b"\n")
            for line in ended:
                whole = b"".join([*rest, line])
                rest = []
                if whole:
                    yield whole
            if last:
                rest.append(last)
        if rest:
            yield b"".join(rest)
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
