"""Each due time becomes one tick: with two instances, across restarts, clock jumps and changes of the clock."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from argosy.contracts.cron import NewSchedule
from argosy.platform.cron.scheduler import LONGEST_SLEEP, Alarm
from tests.unit.platform.cron.conftest import World, service


class Stop(Exception):
    """Ends a scheduler's loop from its pause, as a killed process would."""


async def run_until(world: World, end: datetime, stride: float = 600.0) -> None:
    """The scheduler's own loop, its sleep replaced by moving the clock; the longest sleeps take a `stride`."""

    async def pause(seconds: float) -> None:
        if world.clock.moment >= end:
            raise Stop
        world.clock.move(seconds=stride if seconds >= LONGEST_SLEEP else max(seconds, 0.001))

    with pytest.raises(Stop):
        await world.scheduler().run(pause)


async def put(world: World, expression: str, zone: str = "UTC", missed: str = "all") -> None:
    request = NewSchedule(name=f"{expression} {zone}", expression=expression, time_zone=zone, missed=missed)  # type: ignore[arg-type]
    await world.api.put(call=service(), request=request)


async def test_it_sleeps_until_the_next_due_time_but_never_long(world: World) -> None:
    scheduler = world.scheduler()
    assert await scheduler.fire() == LONGEST_SLEEP

    await put(world, "*/5 * * * *")
    assert await scheduler.fire() == LONGEST_SLEEP

    world.clock.move(minutes=4, seconds=50)
    assert await scheduler.fire() == 10.0


async def test_every_due_time_of_an_hour_is_one_tick(world: World) -> None:
    await put(world, "*/5 * * * *")

    await run_until(world, world.clock.moment + timedelta(minutes=61), stride=20)

    assert [tick.due.minute for tick in await world.ticks()] == [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 0]


async def test_two_instances_fire_each_due_time_once(world: World) -> None:
    for number in range(60):
        await put(world, f"{number} * * * *")
    instances = [world.scheduler(), world.scheduler()]

    for _ in range(6):
        world.clock.move(minutes=17)
        await asyncio.gather(*(instance.fire() for instance in instances))

    ticks = [(tick.name, tick.due) for tick in await world.ticks()]
    assert len(ticks) == len(set(ticks)) == 102


async def test_a_restart_makes_up_for_what_was_missed(world: World) -> None:
    start = world.clock.moment
    await put(world, "0 * * * *", missed="all")
    await put(world, "0 * * * *", "Europe/Berlin", missed="one")
    await put(world, "0 * * * *", "Asia/Tokyo", missed="skip")

    world.clock.move(hours=3, minutes=30)
    await world.scheduler().fire()
    world.clock.move(minutes=30)
    await world.scheduler().fire()

    fired: dict[str, list[tuple[float, int]]] = {}
    for tick in await world.ticks():
        fired.setdefault(tick.name[10:], []).append(((tick.due - start) / timedelta(hours=1), tick.missed))
    assert fired == {
        "UTC": [(1, 0), (2, 0), (3, 0), (4, 0)],
        "Europe/Berlin": [(3, 2), (4, 0)],
        "Asia/Tokyo": [(4, 3)],
    }


async def test_a_tick_that_was_not_committed_fires_after_the_restart(world: World) -> None:
    await put(world, "0 * * * *")
    world.clock.move(hours=1)

    async def killed_before_commit() -> None:
        async with world.database.transaction("*") as tx:
            await world.scheduler()._fire_batch(tx)
            raise Stop

    with pytest.raises(Stop):
        await killed_before_commit()
    assert await world.ticks() == []
    await world.scheduler().fire()

    assert len(await world.ticks()) == 1


async def test_a_clock_set_back_fires_nothing_twice(world: World) -> None:
    await put(world, "*/10 * * * *")
    start = world.clock.moment
    await run_until(world, start + timedelta(hours=1))
    world.clock.move(minutes=-45)
    await run_until(world, start + timedelta(hours=2))

    dues = [tick.due for tick in await world.ticks()]
    assert dues == sorted(set(dues)) and len(dues) == 12


async def test_a_clock_set_forward_obeys_the_policy(world: World) -> None:
    await put(world, "0 0 * * *", missed="one")
    world.clock.move(days=400)
    await world.scheduler().fire()

    (tick,) = await world.ticks()
    assert tick.missed == 399 and tick.due == datetime(2027, 6, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "zone, start, expected",
    [
        ("Europe/Berlin", "2026-03-28T00:00", ["28 02:30", "29 03:00", "30 02:30"]),
        ("Europe/Berlin", "2026-10-24T00:00", ["24 02:30", "25 02:30", "26 02:30"]),
        ("Australia/Lord_Howe", "2026-10-03T00:00", ["03 02:15", "04 02:30", "05 02:15"]),
        ("Australia/Lord_Howe", "2026-04-04T00:00", ["04 01:45", "05 01:45", "06 01:45"]),
    ],
)
async def test_a_daily_job_runs_once_a_day_when_clocks_change(
    world: World, zone: str, start: str, expected: list[str]
) -> None:
    at = {"28 02:30": "30 2", "24 02:30": "30 2", "03 02:15": "15 2", "04 01:45": "45 1"}[expected[0]]
    world.clock.moment = datetime.fromisoformat(start).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    await put(world, f"{at} * * *", zone)

    await run_until(world, world.clock.moment + timedelta(days=3))

    local = [tick.due.astimezone(ZoneInfo(zone)) for tick in await world.ticks()]
    assert [f"{due:%d %H:%M}" for due in local] == expected


async def test_old_ticks_are_forgotten(world: World) -> None:
    await put(world, "0 0 * * *")
    await run_until(world, world.clock.moment + timedelta(days=40), stride=6 * 3600)

    async with world.database.transaction("*") as tx:
        kept = await tx.fetchval("SELECT count(*) FROM ticks")
    assert 29 <= kept <= 31 and len(await world.ticks()) == 40


async def test_a_changed_schedule_wakes_a_sleeping_scheduler(world: World) -> None:
    woken = asyncio.Event()
    alarm = Alarm()

    async def pause(seconds: float) -> None:
        await alarm(seconds)
        woken.set()

    stop = await world.database.listen("cron_schedules", alarm.ring)
    running = asyncio.create_task(world.scheduler().run(pause))
    try:
        async with asyncio.timeout(5):
            await woken.wait()  # the first connection counts as news
            woken.clear()
            await put(world, "0 0 * * *")
            await woken.wait()
    finally:
        stop()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
