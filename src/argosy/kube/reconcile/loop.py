"""A loop: takes names from its queue and has each looked at, some at a time, until it is cancelled.

Before each look, its copies have caught up with what this process wrote, so that nobody makes a second time what he has just
made. An error is tried again later; it ends nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from argosy.kit.log import get_logger
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.reconcile.copies import Copy
from argosy.kube.reconcile.queue import Name, WorkQueue, name_in

log = get_logger(__name__)
Reconcile: TypeAlias = Callable[[Name], Awaitable[float | None]]
"""Looks at one name. Answers after how many seconds it wants to look again, or None."""
_LOUD_FROM = 5.0
"""Pauses from this on are worth a line in the log: most conflicts are over long before."""


class Loop:
    """`longest_rest`: how long a name waits at most after a look that took long."""

    def __init__(
        self,
        name: str,
        reconcile: Reconcile,
        *,
        reads: Sequence[Copy] = (),
        workers: int = 5,
        longest_rest: float = 0.25,
    ) -> None:
        self.name = name
        self._reconcile, self._reads, self._workers = reconcile, reads, workers
        self._queue = WorkQueue(longest_rest=longest_rest)

    def add(self, name: Name) -> None:
        self._queue.add(name)

    def add_object(self, obj: Object) -> None:
        self._queue.add(name_in(obj))

    def add_after(self, name: Name, seconds: float) -> None:
        self._queue.add_after(name, seconds)

    def follow(self, copy: Copy) -> None:
        """Looks at each object of the kind whenever it changes."""
        copy.on_change(lambda before, after: self.add_object(after or before or {}))

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._workers):
                    group.create_task(self._work(), name=self.name)
        finally:
            self._queue.close()

    async def _work(self) -> None:
        while True:
            name = await self._queue.take()
            start = time.monotonic()
            try:
                await self._look(name)
            finally:
                self._queue.done(name, time.monotonic() - start)

    async def _look(self, name: Name) -> None:
        try:
            for copy in self._reads:
                await copy.caught_up()
            again = await self._reconcile(name)
        except ApiError as error:
            pause = self._queue.retry(name)
            if pause >= _LOUD_FROM:
                log.warning(
                    "loop.failed", loop=self.name, object="/".join(name), error=error.message, again_in=pause
                )
        except Exception:  # the top of a loop: one object that nobody foresaw must not stop all the others
            log.exception("loop.failed", loop=self.name, object="/".join(name))
            self._queue.retry(name)
        else:
            self._queue.succeeded(name)
            if again is not None:
                self._queue.add_after(name, again)
