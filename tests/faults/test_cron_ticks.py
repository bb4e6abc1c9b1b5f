"""Two schedulers in processes of their own are killed again and again: every due time still fires exactly once.

Their clock runs 240 times as fast as the wall's, so that a schedule of every minute comes due four times a second.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import msgspec

from argosy.backends.database import EVERY_ACCOUNT, Database
from argosy.backends.database.migrations import migrate
from argosy.backends.events import Outbox
from argosy.backends.hosting import Recorder
from argosy.contracts.cron import TICKED, NewSchedule, Ticked
from argosy.kit.calls import service_call
from argosy.platform.cron.api import Api
from argosy.platform.cron.scheduler import Scheduler
from argosy.platform.cron.store import Store
from tests.postgres import TestPostgres

SPEED = 240.0
KILLS = 14
SCHEDULES = 5


class FastClock(msgspec.Struct, frozen=True):
    """The same in every process: it counts from one instant of the wall clock."""

    wall: float
    start: datetime

    def __call__(self) -> datetime:
        return self.start + timedelta(seconds=(time.time() - self.wall) * SPEED)


def scheduler_process(dsn: str, clock: FastClock) -> None:
    async def run() -> None:
        database = Database(dsn, service="cron")
        await database.open()
        scheduler = Scheduler(Store(database), database, Outbox(database), clock)
        await scheduler.run(lambda seconds: asyncio.sleep(seconds / SPEED))

    asyncio.run(run())


async def prepare(dsn: str, clock: FastClock) -> None:
    database = Database(dsn, service="cron")
    await database.open()
    await migrate(database, "argosy.platform.cron.migrations")
    api = Api(Store(database), database, Recorder("cron", database, Outbox(database)), clock)
    for number in range(SCHEDULES):
        request = NewSchedule(name=f"s{number}", expression="* * * * *", time_zone="UTC", missed="all")
        await api.put(call=service_call("audit", "a" * 24), request=request)
    await database.close()


async def finish(dsn: str, clock: FastClock) -> list[Ticked]:
    """What is still due fires, and then all ticks that were ever published."""
    database = Database(dsn, service="cron")
    await database.open()
    await Scheduler(Store(database), database, Outbox(database), clock).fire()
    async with database.transaction(EVERY_ACCOUNT) as tx:
        rows = await tx.fetch("SELECT body FROM outbox WHERE type = $1 ORDER BY seq", TICKED)
    await database.close()
    return [msgspec.json.decode(row["body"], type=Ticked) for row in rows]


def test_killed_schedulers_fire_every_due_time_exactly_once() -> None:
    context = multiprocessing.get_context("spawn")
    with TestPostgres() as server:
        dsn = server.new_database(services=["cron"])["cron"]
        clock = FastClock(time.time(), datetime(2026, 5, 1, 12, tzinfo=UTC))
        asyncio.run(prepare(dsn, clock))

        def start() -> multiprocessing.process.BaseProcess:
            process = context.Process(target=scheduler_process, args=(dsn, clock))
            process.start()
            return process

        processes = [start(), start()]
        try:
            for _ in range(KILLS):
                time.sleep(
                    random.uniform(0.05, 0.9)
                )  # the moment of the kill is the test, nothing is waited for
                place = random.randrange(2)
                os.kill(processes[place].pid or 0, signal.SIGKILL)
                processes[place].join()
                processes[place] = start()
        finally:
            for process in processes:
                process.kill()
                process.join()
        ticks = asyncio.run(finish(dsn, clock))

    counts = Counter((tick.schedule, tick.due) for tick in ticks)
    assert len(ticks) > 10 * SCHEDULES and set(counts.values()) == {1}
    assert len({tick.schedule for tick in ticks}) == SCHEDULES
    for schedule in {tick.schedule for tick in ticks}:
        dues = [tick.due for tick in ticks if tick.schedule == schedule]
        assert dues[0] - clock.start < timedelta(minutes=20), "from the first one on"
        assert dues == [dues[0] + timedelta(minutes=number) for number in range(len(dues))], (
            "in order, no gap"
        )
