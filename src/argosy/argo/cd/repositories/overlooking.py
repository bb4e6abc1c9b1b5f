"""The jq expressions of `ignoreDifferences` for a comparison: run in workers, each for a second at most, and remembered.

What takes too long or is no expression finds nothing; that is logged, and the comparison goes on, as upstream does.
"""

from __future__ import annotations

import asyncio
import hashlib

import msgspec

from argosy.argo.cd.repositories.parts import Remembered
from argosy.kit.log import get_logger
from argosy.kube.objects import Object, name_of
from argosy.manifests.jobs import Cleaned, Failed, Jq
from argosy.manifests.workers.pool import Pool, TookTooLong, WorkerDied

log = get_logger(__name__)
_SECONDS = 1.0
_REMEMBERED = 2000
_SUSPENDED = 600.0


class Overlooking:
    def __init__(self, pool: Pool, *, seconds: float = _SECONDS) -> None:
        self._pool, self._seconds = pool, seconds
        self._known: Remembered[Object] = Remembered(_REMEMBERED)
        self._stopped: Remembered[float] = Remembered(_REMEMBERED)

    async def __call__(self, obj: Object, expressions: tuple[str, ...]) -> Object:
        """The object less what the expressions find in it."""
        now = asyncio.get_running_loop().time()
        expressions = tuple(one for one in expressions if self._stopped.get(one, 0.0) <= now)
        if not expressions:
            return obj
        key = hashlib.sha256(msgspec.json.encode((obj, expressions))).hexdigest()
        if key not in self._known:
            self._known[key] = await self._less(obj, expressions)
        return self._known[key]

    async def _less(self, obj: Object, expressions: tuple[str, ...]) -> Object:
        try:
            answer = await self._pool.run(Jq(obj, expressions), seconds=self._seconds)
        except (TookTooLong, WorkerDied) as error:
            return await self._without_the_endless(obj, expressions, str(error))
        match answer:
            case Cleaned():
                for problem in answer.problems:
                    log.warning("jq.problem", kind=obj.get("kind"), name=name_of(obj), problem=problem)
                return answer.object
            case Failed():
                log.warning("jq.problem", kind=obj.get("kind"), name=name_of(obj), problem=answer.message)
        return obj

    async def _without_the_endless(self, obj: Object, expressions: tuple[str, ...], why: str) -> Object:
        """Which of several it was is found by asking one at a time; it is not asked again for a while."""
        if len(expressions) > 1:
            for one in expressions:
                obj = await self(obj, (one,))
            return obj
        log.warning(
            "jq.stopped", kind=obj.get("kind"), name=name_of(obj), expression=expressions[0], error=why
        )
        self._stopped[expressions[0]] = asyncio.get_running_loop().time() + _SUSPENDED
        return obj
