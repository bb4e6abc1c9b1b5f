"""A stage for the event transports: a producer, a consumer in another database, and what came of the events.

A transport joins the suite by a line in TRANSPORTS. Nothing in the tests knows which one is playing.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import msgspec
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction
from argosy.backends.database.migrations import migrate
from argosy.backends.events import Consumer, EventTransport, Outbox, PostgresTransport
from argosy.contracts.events import Event, event
from tests.postgres import TestPostgres

TRANSPORTS: Mapping[str, Callable[[Mapping[str, str]], EventTransport]] = {"postgresql": PostgresTransport}
ACCOUNT = "5f0000000000000000000001"
DEADLINE = 20.0


class Moved(msgspec.Struct, frozen=True):
    number: int


@pytest.fixture(scope="session")
def server() -> Iterator[TestPostgres]:
    with TestPostgres("synchronous_commit=on") as server:
        yield server


@dataclass
class Effects:
    """A read model: one row per effect, so that a second effect of an event would show."""

    database: Database
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle(self, tx: Transaction, events: Sequence[Event]) -> None:
        await tx.executemany(
            "INSERT INTO effects (id, key, number) VALUES ($1, $2, $3)",
            [(one.id, one.key, one.decode(Moved).number) for one in events],
        )
        tx.after_commit(self.changed.set)

    async def rows(self) -> list[tuple[str, int]]:
        async with self.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            return [
                (row["key"], row["number"]) for row in await tx.fetch("SELECT * FROM effects ORDER BY place")
            ]

    async def by_key(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for key, number in await self.rows():
            found[key].append(number)
        return dict(found)

    async def reach(self, count: int) -> list[tuple[str, int]]:
        async with asyncio.timeout(DEADLINE):
            while True:
                self.changed.clear()
                if len(rows := await self.rows()) >= count:
                    return rows
                await self.changed.wait()


@dataclass
class Stage:
    producer: Database
    outbox: Outbox
    consumer: Database
    effects: Effects
    sources: Mapping[str, str]
    make: Callable[[Mapping[str, str]], EventTransport]

    async def publish(self, key: str, *numbers: int, account: str = ACCOUNT) -> None:
        """One transaction."""
        async with self.producer.transaction(account) as tx:
            await self.outbox.publish(tx, *(moved(key, number, account) for number in numbers))

    @asynccontextmanager
    async def consuming(self, consumer: Consumer | None = None) -> AsyncIterator[asyncio.Task[None]]:
        ready = asyncio.Event()
        chosen = consumer or self.plain()
        task = asyncio.create_task(self.make(self.sources).run(chosen, self.consumer, ready=ready))
        try:
            async with asyncio.timeout(DEADLINE):
                await ready.wait()
            yield task
        finally:
            task.cancel()
            await asyncio.wait([task])

    def plain(self, batch: int = 200) -> Consumer:
        return Consumer("mover", ("stage.*",), self.effects.handle, batch)


def moved(key: str, number: int, account: str = ACCOUNT) -> Event:
    return event("stage.thing.moved.v1", account=account, key=key, body=Moved(number))


@pytest.fixture(scope="session")
def places(server: TestPostgres) -> tuple[dict[str, str], dict[str, str]]:
    """Where the producer lives, and where the consumer does."""
    return server.new_database(["producer"]), server.new_database(["consumer"])


@pytest.fixture(params=list(TRANSPORTS))
async def stage(
    request: pytest.FixtureRequest, places: tuple[dict[str, str], dict[str, str]]
) -> AsyncIterator[Stage]:
    there, here = places
    producer = Database(there["producer"], service="producer", pool_size=20)
    consumer = Database(here["consumer"], service="consumer")
    for database in (producer, consumer):
        await database.open()
        await migrate(database)
        async with database.transaction(EVERY_ACCOUNT) as tx:
            await tx.execute(
                "CREATE TABLE IF NOT EXISTS effects (place bigserial, id text, key text, number integer)"
            )
            await tx.execute("CREATE TABLE IF NOT EXISTS turn (number integer)")
            await tx.execute("TRUNCATE outbox, event_cursors, inbox, dead_letters, effects, turn")
    sources = {"producer": there["events"]}
    yield Stage(producer, Outbox(producer), consumer, Effects(consumer), sources, TRANSPORTS[request.param])
    await producer.close()
    await consumer.close()
