"""Names that wait to be looked at: each once, never by two workers at a time, later again when that was asked for.

Who works long on one name gets it back a little later, so that a thousand changes of a big workload cost a few looks at it and
not a thousand. `loop` takes from it.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque

from argosy.kube.objects import Object

Name = tuple[str, str]
"""Namespace and name; whatever else two texts can say, for loops over something else."""

_FIRST_RETRY, _LONGEST_RETRY = 0.02, 60.0
_NOTICED, _MANY_RESTS = 0.02, 500


def name_in(obj: Object) -> Name:
    metadata = obj["metadata"]
    return metadata.get("namespace", ""), metadata["name"]


class WorkQueue:
    def __init__(self, *, longest_rest: float) -> None:
        self._longest_rest = longest_rest
        self._ready: deque[Name] = deque()
        self._queued: set[Name] = set()
        self._busy: set[Name] = set()
        self._again: set[Name] = set()
        self._failures: dict[Name, int] = {}
        self._timers: dict[Name, asyncio.TimerHandle] = {}
        self._rests_until: dict[Name, float] = {}
        self._some = asyncio.Event()

    def __len__(self) -> int:
        return len(self._queued) + len(self._busy)

    def add(self, name: Name) -> None:
        if name in self._busy:
            self._again.add(name)
        elif name not in self._queued:
            rest = self._rests_until.pop(name, 0.0) - _now() if self._rests_until else 0.0
            if rest > 0:
                self._rests_until[name] = _now() + rest
                self.add_after(name, rest)
            else:
                self._queued.add(name)
                self._ready.append(name)
                self._some.set()

    def add_after(self, name: Name, seconds: float) -> None:
        """At the earliest of all the times that were asked for."""
        due = _now() + max(seconds, 0.0)
        timer = self._timers.get(name)
        if timer is not None:
            if timer.when() <= due:
                return
            timer.cancel()
        self._timers[name] = asyncio.get_running_loop().call_at(due, self._due, name)

    def retry(self, name: Name) -> float:
        """After a pause that grows with each failure in a row. Answers how long."""
        failures = self._failures[name] = self._failures.get(name, 0) + 1
        pause = min(_FIRST_RETRY * 2.0 ** min(failures - 1, 20), _LONGEST_RETRY) * random.uniform(0.5, 1.0)
        self.add_after(name, pause)
        return pause

    def succeeded(self, name: Name) -> None:
        self._failures.pop(name, None)

    async def take(self) -> Name:
        while not self._ready:
            self._some.clear()
            await self._some.wait()
        name = self._ready.popleft()
        self._queued.discard(name)
        self._busy.add(name)
        return name

    def done(self, name: Name, took: float) -> None:
        self._busy.discard(name)
        if took > _NOTICED:
            self._rests_until[name] = _now() + min(took, self._longest_rest)
            if len(self._rests_until) > _MANY_RESTS:
                self._rests_until = {one: end for one, end in self._rests_until.items() if end > _now()}
        if name in self._again:
            self._again.discard(name)
            self.add(name)

    def close(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _due(self, name: Name) -> None:
        self._timers.pop(name, None)
        self._rests_until.pop(name, None)
        self.add(name)


def _now() -> float:
    return asyncio.get_running_loop().time()
