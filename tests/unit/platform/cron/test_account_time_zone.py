"""Identity tells, the transport carries, cron follows: the whole way of a changed account time zone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from argosy.backends.database import Database, Transaction
from argosy.backends.database.migrations import migrate
from argosy.backends.events import PostgresTransport
from argosy.contracts import identity as c
from argosy.contracts.cron import NewSchedule, Schedule
from argosy.contracts.events import Event
from argosy.contracts.paging import PageRequest
from argosy.platform.cron.zones import consumer
from tests.postgres import TestPostgres
from tests.unit.platform.cron.conftest import World, person, service
from tests.unit.platform.identity import world as identities

DEADLINE = 20.0


@pytest.fixture
async def dsns(server: TestPostgres) -> AsyncIterator[dict[str, str]]:
    found = server.new_database(services=["cron", "identity"])
    await identities.prepare(found)
    yield found
    server.drop_database(found["admin"])


async def test_a_schedule_without_a_zone_follows_its_account_when_that_moves(
    dsns: dict[str, str], tmp_path: Path
) -> None:
    identity = await identities.World.start(dsns, tmp_path)
    database = Database(dsns["cron"], service="cron")
    await database.open()
    await migrate(database, "argosy.platform.cron.migrations")
    cron = World(database)
    boss = await identity.boss()
    await cron.api.put(
        call=service(account=boss.account), request=NewSchedule(name="morning", expression="0 9 * * *")
    )

    zones, moved = consumer(cron.store, database, cron.clock), asyncio.Event()

    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        await zones.handle(tx, events)
        tx.after_commit(moved.set)

    transport = PostgresTransport({"identity": dsns["events"]})
    following = asyncio.create_task(transport.run(replace(zones, handle=handle), database))
    await identity.api.change_account(call=boss, request=c.AccountChange(time_zone="America/New_York"))

    async with asyncio.timeout(DEADLINE):
        while (schedule := await only_schedule(cron, boss.account)).time_zone == "UTC":
            await moved.wait()
            moved.clear()
    assert (schedule.time_zone, schedule.next_due) == (
        "America/New_York",
        datetime(2026, 5, 1, 13, tzinfo=UTC),
    )
    following.cancel()
    await asyncio.wait([following])
    await database.close()
    await identity.stop()


async def only_schedule(cron: World, account: str) -> Schedule:
    (schedule,) = (await cron.api.schedules(call=person(account), request=PageRequest())).items
    return schedule
