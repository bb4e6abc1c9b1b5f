"""Cron on a real PostgreSQL, with a clock that the test sets and a pause that moves it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database
from argosy.backends.database.migrations import migrate
from argosy.backends.events import Outbox
from argosy.backends.hosting import Recorder
from argosy.contracts.cron import TICKED, Ticked
from argosy.contracts.events import Event
from argosy.kit.calls import Call, Principal, service_call
from argosy.platform.cron.api import Api
from argosy.platform.cron.scheduler import Scheduler
from argosy.platform.cron.store import Store
from tests.postgres import TestPostgres

ACCOUNT = "a" * 24
OTHER = "b" * 24


@dataclass
class FakeClock:
    moment: datetime = datetime(2026, 5, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def move(self, **amount: float) -> None:
        self.moment += timedelta(**amount)


@dataclass
class World:
    """One installation's cron: `scheduler()` is another instance each time."""

    database: Database
    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        self.store = Store(self.database)
        self.outbox = Outbox(self.database)
        recorder = Recorder("cron", self.database, self.outbox, self.clock)
        self.api = Api(self.store, self.database, recorder, self.clock)

    def scheduler(self) -> Scheduler:
        return Scheduler(self.store, self.database, self.outbox, self.clock)

    async def events(self, type: str) -> list[Event]:
        async with self.database.transaction(EVERY_ACCOUNT) as tx:
            rows = await tx.fetch("SELECT body, account, key FROM outbox WHERE type = $1 ORDER BY seq", type)
        return [
            Event("", type, row["account"], row["key"], self.clock(), row["body"].encode()) for row in rows
        ]

    async def ticks(self) -> list[Ticked]:
        return [event.decode(Ticked) for event in await self.events(TICKED)]


def service(name: str = "audit", account: str = ACCOUNT) -> Call:
    return service_call(name, account)


def person(account: str = ACCOUNT, *, platform_admin: bool = False) -> Call:
    who = Principal("user", "u", "somebody", account, admin=True, platform_admin=platform_admin)
    return Call(who, "r", service("x").deadline)


@pytest.fixture(scope="module")
def server() -> Iterator[TestPostgres]:
    with TestPostgres() as postgres:
        yield postgres


@pytest.fixture
async def world(server: TestPostgres) -> AsyncIterator[World]:
    dsns = server.new_database(services=["cron"])
    database = Database(dsns["cron"], service="cron")
    await database.open()
    await migrate(database, "argosy.platform.cron.migrations")
    try:
        yield World(database)
    finally:
        await database.close()
        server.drop_database(dsns["admin"])
