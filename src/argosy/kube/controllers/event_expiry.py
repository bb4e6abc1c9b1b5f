"""Events go an hour after they were last told. Nobody watches them for that: between two looks there is as much time as the oldest has
left."""

from __future__ import annotations

import asyncio
from datetime import datetime

from argosy.kit import clock
from argosy.kube.controllers.pods.state import created
from argosy.kube.objects import Object
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import EVENT
from argosy.kube.reconcile.times import parse, seconds_until, stamp

_HOUR, _LEAST = 3600.0, 60.0
_AT_A_TIME = 20


def last_told(event: Object) -> datetime:
    series = (event.get("series") or {}).get("lastObservedTime")
    told = [parse(event.get("lastTimestamp")), parse(event.get("eventTime")), parse(series)]
    return max([one for one in told if one is not None], default=created(event))


class Events:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self.loop = Loop("event-expiry", self._look, workers=1)

    def begin(self) -> Loop:
        self.loop.add(("", "events"))
        return self.loop

    async def _look(self, _name: Name) -> float:
        now, left = clock.now(), _HOUR
        expired: list[Object] = []
        async for page in self._place.client.pages(EVENT):
            for event in page.items:
                remaining = seconds_until(stamp(last_told(event)), _HOUR, now)
                if remaining > 0:
                    left = min(left, remaining)
                else:
                    expired.append(event)
        for start in range(0, len(expired), _AT_A_TIME):
            await asyncio.gather(*(self._place.delete(one) for one in expired[start : start + _AT_A_TIME]))
        return max(left, _LEAST)


def make(place: Workplace) -> Loop:
    return Events(place).begin()
