"""The loop that fires ticks: it sleeps until the next due time, or until a schedule changes.

Any number of instances may run it. A tick is one transaction: the schedule's row is locked, the tick is written
under (schedule, due), the event goes into the outbox, and the schedule moves on. So a due time fires exactly once,
whoever is killed in between, and no leader has to be chosen. What to fire is planned in `domain.cron`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import msgspec

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction
from argosy.backends.events import Outbox
from argosy.contracts.cron import TICKED, Ticked
from argosy.contracts.events import Event, event
from argosy.domain.cron import plan_ticks, timetable
from argosy.kit.clock import Clock
from argosy.kit.log import get_logger
from argosy.platform.cron.api import CHANNEL
from argosy.platform.cron.store import Store, Stored

log = get_logger(__name__)

LONGEST_SLEEP = 30.0
"""Bounded, to notice when the wall clock was set."""
TICKS_KEPT = timedelta(days=30)
_BATCH = 50
_TIDY_EVERY = timedelta(hours=1)
_SET_BACK = timedelta(hours=1)

Pause = Callable[[float], Awaitable[None]]


class Alarm:
    """The scheduler's real sleep: it ends early when `ring` is called."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self, _payload: str = "") -> None:
        self._rung.set()

    async def __call__(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        except TimeoutError:
            return
        self._rung.clear()


class Scheduler:
    def __init__(self, store: Store, database: Database, outbox: Outbox, clock: Clock) -> None:
        self._store, self._database, self._outbox, self._clock = store, database, outbox, clock
        self._tidied: datetime | None = None

    async def run(self, pause: Pause | None = None) -> None:
        """Until cancelled. `pause` is told how long to sleep; by default changed schedules end the sleep."""
        alarm = Alarm()
        stop = await self._database.listen(CHANNEL, alarm.ring)
        try:
            while True:
                await (pause or alarm)(await self.fire())
                await self._tidy()
        finally:
            stop()

    async def fire(self) -> float:
        """Fires all that is due now; answers the seconds until there may be more to do."""
        while await self._database.run(EVERY_ACCOUNT, self._fire_batch) == _BATCH:
            pass
        next_due = await self._store.next_due()
        if next_due is None:
            return LONGEST_SLEEP
        return min(LONGEST_SLEEP, max(0.0, (next_due - self._clock()).total_seconds()))

    async def _fire_batch(self, tx: Transaction) -> int:
        now = self._clock()
        schedules = await self._store.due(tx, now, _BATCH)
        zones: dict[str, str] = {}
        events: list[Event] = []
        for schedule in schedules:
            if schedule.account not in zones:
                zones[schedule.account] = await self._store.zone(tx, schedule.account)
            events += await self._fire(tx, schedule, zones[schedule.account], now)
        await self._outbox.publish(tx, *events)
        return len(schedules)

    async def _fire(self, tx: Transaction, schedule: Stored, account_zone: str, now: datetime) -> list[Event]:
        table = timetable(schedule.expression, schedule.time_zone or account_zone)
        plan = plan_ticks(table, schedule.planned_until, now, schedule.missed, schedule.passed)
        fresh = await self._store.fired(tx, schedule, [fire.due for fire in plan.fires], now)
        await self._store.replace(
            tx,
            msgspec.structs.replace(
                schedule,
                passed=plan.passed,
                planned_until=plan.last_due,
                next_due=plan.next_due,
                last_due=plan.fires[-1].due if plan.fires else schedule.last_due,
                last_fired=now if plan.fires else schedule.last_fired,
            ),
        )
        return [_tick(schedule, fire.due, fire.missed) for fire in plan.fires if fire.due in fresh]

    async def _tidy(self) -> None:
        now = self._clock()
        if self._tidied is None or now - self._tidied >= _TIDY_EVERY:
            self._tidied = now
            await self._store.forget_ticks(now - TICKS_KEPT)
            await self._check_clock(now)

    async def _check_clock(self, now: datetime) -> None:
        """A clock that ran ahead and was put right leaves schedules that wait for it to come there again."""
        furthest = await self._store.furthest()
        if furthest is not None and furthest - now > _SET_BACK:
            log.warning("cron.clock_set_back", now=str(now), schedules_wait_until=str(furthest))


def _tick(schedule: Stored, due: datetime, missed: int) -> Event:
    body = Ticked(
        schedule=schedule.id,
        owner=schedule.owner,
        name=schedule.name,
        due=due,
        payload=schedule.payload,
        missed=missed,
    )
    return event(TICKED, account=schedule.account, key=schedule.id, body=body)
