"""A producer or a consumer in a process of its own, for `test_events_kill`: something to kill.

    python -m tests.faults.events_worker produce PRODUCER_DSN INCARNATION
    python -m tests.faults.events_worker consume CONSUMER_DSN EVENTS_DSN

The producer writes out each number after its commit was acknowledged, and only then.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

import msgspec

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction
from argosy.backends.events import Consumer, Outbox, PostgresTransport
from argosy.contracts.events import Event, event
from argosy.kit.errors import Unavailable
from argosy.kit.log import configure

ACCOUNT = "5f0000000000000000000001"
WRITERS = 8


class Moved(msgspec.Struct):
    number: int


async def produce(dsn: str, incarnation: int) -> None:
    database = Database(dsn, service="producer", pool_size=WRITERS + 1)
    await database.open()
    outbox = Outbox(database)

    async def write(writer: int) -> None:
        for number in range(incarnation * 10_000_000 + writer, 10**12, WRITERS):
            key = f"{incarnation}-{writer}"
            try:
                async with database.transaction(ACCOUNT) as tx:
                    await tx.execute("INSERT INTO things VALUES ($1)", number)
                    moved = event("faults.thing.moved.v1", account=ACCOUNT, key=key, body=Moved(number))
                    await outbox.publish(tx, moved)
            except Unavailable:
                await asyncio.sleep(0.01)
            else:
                sys.stdout.write(f"{number}\n")
                sys.stdout.flush()
            await asyncio.sleep(0.002)

    await asyncio.gather(*(write(writer) for writer in range(WRITERS)))


async def handle(tx: Transaction, events: Sequence[Event]) -> None:
    await tx.executemany(
        "INSERT INTO effects (key, number) VALUES ($1, $2)",
        [(one.key, one.decode(Moved).number) for one in events],
    )


async def consume(dsn: str, source: str) -> None:
    database = Database(dsn, service="consumer")
    await database.open()
    await PostgresTransport({"producer": source}).run(
        Consumer("mover", ("faults.*",), handle, batch=50, accounts=EVERY_ACCOUNT), database
    )


if __name__ == "__main__":
    configure(service=sys.argv[1])
    match sys.argv[1:]:
        case ["produce", dsn, incarnation]:
            asyncio.run(produce(dsn, int(incarnation)))
        case ["consume", dsn, source]:
            asyncio.run(consume(dsn, source))
