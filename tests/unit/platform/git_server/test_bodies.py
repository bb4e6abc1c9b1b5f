"""What git sends: packed or plain, cut anywhere, with an end to what comes out of it."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import ClientDisconnect
from starlette.types import Message

from argosy.kit.errors import BadRequest, TooLarge, UnsupportedMedia
from argosy.platform.git_server.bodies import limited, received, unpacked


async def cut(data: bytes, step: int) -> AsyncIterator[bytes]:
    for at in range(0, len(data), step):
        yield data[at : at + step]


async def whole(pieces: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in pieces])


@given(data=st.binary(max_size=5000), step=st.integers(1, 700))
async def test_a_packed_body_comes_out_as_it_was(data: bytes, step: int) -> None:
    assert await whole(unpacked(cut(gzip.compress(data), step), "gzip")) == data
    assert await whole(unpacked(cut(data, step), "")) == data


@pytest.mark.parametrize(
    "data",
    [b"not gzip", gzip.compress(b"x" * 100)[:-5], gzip.compress(b"x") + b"more", b""],
    ids=["not packed", "cut off", "followed by more", "empty"],
)
async def test_a_broken_one_is_refused(data: bytes) -> None:
    with pytest.raises(BadRequest) as refused:
        await whole(unpacked(cut(data, 10), "gzip"))
    assert refused.value.code == "body.gzip"


async def test_another_way_of_packing_is_not_understood() -> None:
    with pytest.raises(UnsupportedMedia):
        await whole(unpacked(cut(b"x", 1), "br"))


async def test_a_bomb_ends_at_the_limit_in_small_pieces() -> None:
    bomb = gzip.compress(bytes(200 << 20))
    largest = 0
    with pytest.raises(TooLarge):
        async for piece in limited(unpacked(cut(bomb, 65536), "gzip"), 10 << 20):
            largest = max(largest, len(piece))
    assert largest <= 65536


async def test_a_client_that_goes_away_is_noticed() -> None:
    messages: list[Message] = [
        {"type": "http.request", "body": b"abc", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Message:
        return messages.pop(0)

    with pytest.raises(ClientDisconnect):
        await whole(received(receive))
