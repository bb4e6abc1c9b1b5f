"""One job at a time, and one for all who asked before it began.

An answer that was on its way when somebody asked may be older than what made them ask (a push was announced); so they share the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Shared(Generic[T]):
    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._waiting: dict[Hashable, asyncio.Task[T]] = {}

    async def do(self, key: Hashable, job: Callable[[], Awaitable[T]]) -> T:
        """Jobs with the same key are the same job. A caller that goes away does not end it for the others."""
        if (task := self._waiting.get(key)) is None:
            task = asyncio.create_task(self._when_free(key, job))
            task.add_done_callback(_seen)
            self._waiting[key] = task
        return await asyncio.shield(task)

    async def _when_free(self, key: Hashable, job: Callable[[], Awaitable[T]]) -> T:
        try:
            async with self._turn:
                self._waiting.pop(key, None)
                return await job()
        finally:
            if self._waiting.get(key) is asyncio.current_task():
                del self._waiting[key]


def _seen(task: asyncio.Task[T]) -> None:
    """What failed when nobody waited any longer is nobody's surprise."""
    if not task.cancelled():
        task.exception()
