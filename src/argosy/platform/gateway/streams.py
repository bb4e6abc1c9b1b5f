"""Open streams and their end: by the client, by a shutdown, or because the credential behind them ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Literal, TypeVar

from argosy.contracts.identity import Revoked
from argosy.kit.calls import Principal
from argosy.platform.gateway.credentials import ended_by

T = TypeVar("T")
_HEARTBEAT_SECONDS = 15.0


class OpenStreams:
    def __init__(self) -> None:
        self._open: dict[asyncio.Event, Principal] = {}

    @contextmanager
    def watch(self, principal: Principal) -> Iterator[asyncio.Event]:
        ended = asyncio.Event()
        self._open[ended] = principal
        try:
            yield ended
        finally:
            del self._open[ended]

    def end(self, revoked: Revoked) -> None:
        for event, principal in list(self._open.items()):
            if ended_by(revoked, principal):
                event.set()

    def end_all(self) -> None:
        for event in list(self._open):
            event.set()


async def until(ended: asyncio.Event, items: AsyncIterator[T]) -> AsyncIterator[T | None]:
    """The items, with None as a heartbeat, until they are over or `ended` is set."""
    stop = asyncio.ensure_future(ended.wait())
    pending: asyncio.Future[T] | None = None
    try:
        while not ended.is_set():
            pending = pending or asyncio.ensure_future(_next(items))
            waiting: set[asyncio.Future[T] | asyncio.Future[Literal[True]]] = {pending, stop}
            done, _ = await asyncio.wait(
                waiting, timeout=_HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if pending in done:
                finished, pending = pending, None
                try:
                    yield finished.result()
                except StopAsyncIteration:
                    return
            elif not done:
                yield None
    finally:
        stop.cancel()
        if pending is not None:
            pending.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await pending
        if (close := getattr(items, "aclose", None)) is not None:
            await close()


async def _next(items: AsyncIterator[T]) -> T:
    return await anext(items)
