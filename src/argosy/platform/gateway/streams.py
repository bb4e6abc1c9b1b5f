"""Open streams and their end: by the client, by a shutdown, or because the credential behind them ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Literal, TypeVar

from argosy.contracts.identity import Exchanged, Revoked
from argosy.kit.calls import Principal
from argosy.kit.errors import ArgosyError, Unauthenticated
from argosy.kit.log import get_logger
from argosy.platform.gateway.credentials import ended_by

log = get_logger(__name__)
T = TypeVar("T")
Again = Callable[[], Awaitable[Exchanged]]  # shows the stream's credential once more
_CHECK_SECONDS = 3.0
_HEARTBEAT_SECONDS = 15.0


class OpenStreams:
    def __init__(self) -> None:
        self._open: dict[asyncio.Event, tuple[Principal, Again]] = {}

    @contextmanager
    def watch(self, principal: Principal, again: Again) -> Iterator[asyncio.Event]:
        ended = asyncio.Event()
        self._open[ended] = (principal, again)
        try:
            yield ended
        finally:
            del self._open[ended]

    def end(self, revoked: Revoked) -> None:
        for event, (principal, _) in list(self._open.items()):
            if ended_by(revoked, principal):
                event.set()

    async def keep_checking(self) -> None:
        """For the revocation that came before a stream was watched, or while nobody could hear it: until cancelled,
        every open stream's credential is shown again every few seconds."""
        while True:
            await asyncio.sleep(_CHECK_SECONDS)
            for event, (principal, again) in list(self._open.items()):
                try:
                    if (await again()).principal != principal:
                        event.set()
                except Unauthenticated:
                    event.set()
                except ArgosyError as error:  # identity is away; nothing can have been revoked meanwhile
                    log.warning("streams.unchecked", reason=error.told)
                    break

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
