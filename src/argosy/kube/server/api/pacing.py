"""Long work beside short: whoever asks for much takes turns with everybody else.

One event loop serves all clients of all clusters. `reading`, `watching` and `answers` go through long lists with `paced`, and
the pipeline lets one large body at a time through `Turns`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
_HELD_SECONDS = 0.004
"""After so long others have their turn."""
_RESTED = 0.5
"""How long the loop rests from large bodies after one, as a part of what that took."""


async def paced(items: Iterable[T]) -> AsyncIterator[T]:
    began = time.perf_counter()
    for item in items:
        yield item
        if time.perf_counter() - began > _HELD_SECONDS:
            await asyncio.sleep(0)
            began = time.perf_counter()


class Turns:
    """What cannot be interrupted, one after the other, with time for everybody else between."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def take(self, work: Callable[[], Awaitable[T]]) -> T:
        loop = asyncio.get_running_loop()
        await self._turn.acquire()
        began = loop.time()
        try:
            return await work()
        finally:
            loop.call_later((loop.time() - began) * _RESTED, self._turn.release)
