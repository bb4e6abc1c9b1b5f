"""Asks workers whether renderings still hold at another commit: many at once, because one push is news for all applications of a repository."""

from __future__ import annotations

import asyncio

from argosy.manifests.jobs import Same, Unchanged
from argosy.manifests.places import Place
from argosy.manifests.tree import Inputs
from argosy.manifests.workers.pool import Pool, TookTooLong, WorkerDied

_MOST = 100
_Waiting = list[tuple[Inputs, asyncio.Future[bool]]]


class Checking:
    """Whoever asks while a look at that place is under way waits for the next one, together with the others."""

    def __init__(self, pool: Pool, *, seconds: float) -> None:
        self._pool, self._seconds = pool, seconds
        self._waiting: dict[Place, _Waiting] = {}
        self._looking: dict[Place, asyncio.Task[None]] = {}

    async def holds(self, place: Place, inputs: Inputs) -> bool:
        """False also when it cannot be told."""
        if not inputs:
            return True
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(place, []).append((inputs, answer))
        if place not in self._looking:
            task = asyncio.create_task(self._look(place))
            self._looking[place] = task
            task.add_done_callback(lambda _: self._looking.pop(place, None))
        return await answer

    async def _look(self, place: Place) -> None:
        while waiting := self._waiting.pop(place, None):
            for first in range(0, len(waiting), _MOST):
                asked = waiting[first : first + _MOST]
                same = await self._asked(place, [inputs for inputs, _ in asked])
                for (_, answer), one in zip(asked, same, strict=True):
                    if not answer.done():
                        answer.set_result(one)

    async def _asked(self, place: Place, inputs: list[Inputs]) -> list[bool]:
        try:
            answer = await self._pool.run(Unchanged(place, inputs), seconds=self._seconds)
        except (TookTooLong, WorkerDied):
            return [False] * len(inputs)
        return answer.same if isinstance(answer, Same) else [False] * len(inputs)
