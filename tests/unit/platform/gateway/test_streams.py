"""Open streams: what ends them, also when nobody said so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from argosy.contracts.identity import Exchanged, Revoked
from argosy.kit.calls import Principal
from argosy.kit.errors import Unauthenticated, Unavailable
from argosy.platform.gateway import streams
from argosy.platform.gateway.streams import OpenStreams, until

WHO = Principal(kind="user", id="u", account="a", admin=True, credential="key:k")


async def still_good() -> Exchanged:
    return Exchanged("", 0.0, WHO)


async def with_fewer_rights() -> Exchanged:
    return Exchanged("", 0.0, Principal(kind="user", id="u", account="a", credential="key:k"))


async def not_good_any_more() -> Exchanged:
    raise Unauthenticated("revoked while nobody listened")


async def nobody_there() -> Exchanged:
    raise Unavailable("identity is away")


@asynccontextmanager
async def checking(opened: OpenStreams) -> AsyncIterator[None]:
    task = asyncio.create_task(opened.keep_checking())
    yield
    task.cancel()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_CHECK_SECONDS", 0.001)


@pytest.mark.parametrize("again", [with_fewer_rights, not_good_any_more])
@pytest.mark.usefixtures("quick")
async def test_a_stream_whose_rights_ended_unheard_is_ended_by_the_next_check(again: streams.Again) -> None:
    opened = OpenStreams()
    with opened.watch(WHO, again) as ended:
        async with checking(opened), asyncio.timeout(5):
            await ended.wait()


@pytest.mark.parametrize("again", [still_good, nobody_there])
@pytest.mark.usefixtures("quick")
async def test_a_stream_goes_on_while_its_rights_hold_or_cannot_have_ended(again: streams.Again) -> None:
    opened = OpenStreams()
    with opened.watch(WHO, again) as ended:
        async with checking(opened):
            await asyncio.sleep(0.05)

    assert not ended.is_set()


@pytest.mark.parametrize(
    ("revoked", "ends"),
    [
        (Revoked(credential="key:k"), True),
        (Revoked(credential="key:other"), False),
        (Revoked(principal="u"), True),
        (Revoked(principal="u", account="a"), True),
        (Revoked(principal="u", account="b"), False),
        (Revoked(principal="v", account="a"), False),
        (Revoked(account="a"), True),
        (Revoked(), False),
    ],
)
def test_a_revocation_ends_what_it_names(revoked: Revoked, ends: bool) -> None:
    opened = OpenStreams()
    with opened.watch(WHO, still_good) as ended:
        opened.end(revoked)

        assert ended.is_set() is ends


async def test_items_stop_at_once_when_the_stream_is_ended_and_the_source_is_closed() -> None:
    ended, closed = asyncio.Event(), asyncio.Event()

    async def source() -> AsyncIterator[int]:
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            closed.set()

    seen = []
    async for item in until(ended, source()):
        seen.append(item)
        ended.set()

    assert seen == [1]
    assert closed.is_set()
