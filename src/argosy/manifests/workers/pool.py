"""Gives jobs to a few workers. A worker that takes too long or dies is replaced, and only its job fails.

Most jobs take milliseconds, and `size` of them run at once. One that takes longer than a second moves aside, to one of the `aside` places, so that others go on;
who is known for that begins there. Workers are started when they are needed and end when they have had nothing to do for
a while; each is given up after many jobs, so that nothing grows for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from argosy.manifests.jobs import Answer, Job
from argosy.manifests.workers.worker import Worker, WorkerDied

__all__ = ["Pool", "TookTooLong", "WorkerDied"]

_JOBS, _IDLE = 5000, 60.0
_PATIENCE = 1.0


class TookTooLong(Exception):
    """The worker was killed."""


class Pool:
    def __init__(self, size: int = 2, aside: int = 6, *, patience: float = _PATIENCE) -> None:
        self._quick, self._aside = asyncio.Semaphore(size), asyncio.Semaphore(aside)
        self._notorious = asyncio.Semaphore(1)
        self._patience = patience
        self._idle: list[Worker] = []
        self._reaper: asyncio.TimerHandle | None = None
        self._leaving: set[asyncio.Task[None]] = set()
        self.jobs = 0

    async def warm(self) -> None:
        """Starts the first worker before somebody waits for it."""
        self._give_back(await Worker.start())

    async def run(self, job: Job, *, seconds: float, notorious: bool = False) -> Answer:
        """Waits for a place as long as it takes, and for the answer at most `seconds`. `notorious`: it took too long before."""
        if notorious:
            async with self._notorious:
                return await self._work(job, seconds)
        place = self._quick
        await place.acquire()
        work = asyncio.create_task(self._work(job, seconds))
        try:
            await asyncio.wait({work}, timeout=self._patience)
            if not work.done() and await self._moved_aside(work):
                place.release()
                place = self._aside
            return await work
        finally:
            place.release()
            if not work.done():
                work.cancel()
                await asyncio.wait({work})

    async def close(self) -> None:
        if self._reaper is not None:
            self._reaper.cancel()
        idle, self._idle = self._idle, []
        await asyncio.gather(*(worker.kill() for worker in idle), *self._leaving)

    async def _moved_aside(self, work: asyncio.Task[Answer]) -> bool:
        """False: it ended while all places there were taken."""
        free = asyncio.create_task(self._aside.acquire())
        waiting: set[asyncio.Future[Any]] = {work, free}
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not free.done():
                free.cancel()
                await asyncio.wait({free})
        return not free.cancelled()

    async def _work(self, job: Job, seconds: float) -> Answer:
        self.jobs += 1
        worker = self._idle.pop() if self._idle else await Worker.start()
        try:
            async with asyncio.timeout(seconds):
                answer = await worker.ask(job)
        except TimeoutError:
            await worker.kill()
            raise TookTooLong(f"it did not end within {seconds:g} s") from None
        except BaseException:
            await worker.kill()
            raise
        self._give_back(worker)
        return answer

    def _give_back(self, worker: Worker) -> None:
        loop = asyncio.get_running_loop()
        if worker.jobs >= _JOBS:
            self._leave(worker.dismiss())
            return
        worker.idle_since = loop.time()
        self._idle.append(worker)
        if self._reaper is None:
            self._reaper = loop.call_later(_IDLE, self._reap)

    def _reap(self) -> None:
        loop = asyncio.get_running_loop()
        for worker in [one for one in self._idle if loop.time() - one.idle_since >= _IDLE]:
            self._idle.remove(worker)
            self._leave(worker.dismiss())
        self._reaper = loop.call_later(_IDLE, self._reap) if self._idle else None

    def _leave(self, going: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(going)
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
