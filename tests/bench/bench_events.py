"""Events, durable: publish in sixteen producers' own transactions → transport → effect in another database.

PostgreSQL runs with the settings of an installation: each commit is on disk before it is acknowledged.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence

import msgspec

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction
from argosy.backends.database.migrations import migrate
from argosy.backends.events import Consumer, Outbox, PostgresTransport
from argosy.contracts.events import Event, event
from tests.postgres import TestPostgres

PRODUCERS = 16
SECONDS = 5.0
ACCOUNT = "5f0000000000000000000001"
DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on", "autovacuum=on")


class Body(msgspec.Struct):
    sent: float
    text: str = "x" * 200


def run() -> list[tuple[str, str, str]]:
    with TestPostgres(*DURABLE) as server:
        rate, busy = asyncio.run(_measure(server, pause=0.0))
        _, calm = asyncio.run(_measure(server, pause=0.1))
    return [
        ("events: durable publish → effect, 16 producers", f"{rate:,.0f}/s", "≥ 2,000/s"),
        ("events: delivery p95 at that rate", f"{busy * 1000:.0f} ms", "≤ 100 ms"),
        ("events: delivery p95 at 160/s", f"{calm * 1000:.0f} ms", "≤ 100 ms"),
    ]


async def _measure(server: TestPostgres, *, pause: float) -> tuple[float, float]:
    there, here = server.new_database(["producer"]), server.new_database(["consumer"])
    producer = Database(there["producer"], service="producer", pool_size=PRODUCERS + 1)
    consumer = Database(here["consumer"], service="consumer")
    for database in (producer, consumer):
        await database.open()
        await migrate(database)
    async with consumer.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute("CREATE TABLE effects (id text PRIMARY KEY, key text)")
    outbox, delays = Outbox(producer), list[float]()

    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        await tx.executemany("INSERT INTO effects VALUES ($1, $2)", [(one.id, one.key) for one in events])
        sent = [one.decode(Body).sent for one in events]
        tx.after_commit(lambda: delays.extend(time.time() - moment for moment in sent))

    async def produce(key: str, until: float) -> int:
        count = 0
        while time.time() < until:
            async with producer.transaction(ACCOUNT) as tx:
                body = Body(time.time())
                await outbox.publish(tx, event("bench.thing.moved.v1", account=ACCOUNT, key=key, body=body))
            count += 1
            await asyncio.sleep(pause)
        return count

    ready = asyncio.Event()
    transport = PostgresTransport({"producer": there["events"]})
    following = asyncio.create_task(
        transport.run(Consumer("bench", ("bench.*",), handle), consumer, ready=ready)
    )
    await ready.wait()
    start = time.time()
    sent = sum(await asyncio.gather(*(produce(f"key-{n}", start + SECONDS) for n in range(PRODUCERS))))
    async with asyncio.timeout(30):
        while len(delays) < sent:
            await asyncio.sleep(0.005)
    rate = sent / (time.time() - start)
    following.cancel()
    await asyncio.wait([following])
    await producer.close()
    await consumer.close()
    return rate, statistics.quantiles(delays, n=20)[18]
