"""What every event transport must do: each committed event has exactly one effect, in order per key."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from argosy.backends.database import EVERY_ACCOUNT, Transaction
from argosy.backends.events import Consumer, rewind
from argosy.contracts.events import Event, event
from tests.conformance.events.conftest import ACCOUNT, DEADLINE, Moved, Stage, moved


async def test_events_of_a_key_arrive_in_order_under_sixteen_producers(stage: Stage) -> None:
    # given sixteen producers, each moving its own thing forty times
    async def produce(key: str) -> None:
        for number in range(40):
            await stage.publish(key, number)

    # when they all write at once
    async with stage.consuming():
        await asyncio.gather(*(produce(f"thing-{n}") for n in range(16)))
        await stage.effects.reach(16 * 40)
    # then each thing was moved forty times, in its order
    assert await stage.effects.by_key() == {f"thing-{n}": list(range(40)) for n in range(16)}


async def test_many_writers_of_one_key_are_heard_in_the_order_of_their_commits(stage: Stage) -> None:
    # given writers that take turns on a row, so that their order is known
    async with stage.producer.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute("INSERT INTO turn VALUES (0)")

    async def produce() -> None:
        for _ in range(10):
            async with stage.producer.transaction(ACCOUNT) as tx:
                number = await tx.fetchval("UPDATE turn SET number = number + 1 RETURNING number")
                await stage.outbox.publish(tx, moved("thing", number))

    async with stage.consuming(stage.plain(batch=7)):
        await asyncio.gather(*(produce() for _ in range(16)))
        await stage.effects.reach(160)
    assert await stage.effects.by_key() == {"thing": list(range(1, 161))}


async def test_what_is_rolled_back_is_never_heard_of_and_what_is_committed_always(stage: Stage) -> None:
    a_few = asyncio.Semaphore(16)  # as many as there are connections, so that a slow machine refuses nobody

    async def produce(number: int) -> None:
        try:
            async with a_few, stage.producer.transaction(ACCOUNT) as tx:
                await stage.outbox.publish(tx, moved(f"thing-{number % 5}", number))
                if number % 3 == 0:
                    raise ValueError("changed my mind")
        except ValueError:
            pass

    kept = [number for number in range(200) if number % 3]
    async with stage.consuming():
        await asyncio.gather(*(produce(number) for number in range(200)))
        await stage.publish("last", 1000)
        await stage.effects.reach(len(kept) + 1)
    assert sorted(number for _, number in await stage.effects.rows()) == [*kept, 1000]


async def test_a_transaction_that_commits_late_is_not_skipped(stage: Stage) -> None:
    # given a transaction that has published and stays open
    slow, commit = asyncio.Event(), asyncio.Event()

    async def late() -> None:
        async with stage.producer.transaction(ACCOUNT) as tx:
            await stage.outbox.publish(tx, moved("thing", 1))
            slow.set()
            await commit.wait()

    async with stage.consuming():
        task = asyncio.create_task(late())
        await slow.wait()
        # when later ones commit before it
        for number in range(2, 30):
            await stage.publish("other", number)
        commit.set()
        await task
        # then it is heard of all the same
        await stage.effects.reach(29)
    assert await stage.effects.by_key() == {"thing": [1], "other": list(range(2, 30))}


async def test_two_instances_of_a_consumer_share_the_work_and_double_nothing(stage: Stage) -> None:
    async with stage.consuming(stage.plain(batch=5)), stage.consuming(stage.plain(batch=5)):
        await asyncio.gather(*(stage.publish(f"thing-{n % 4}", n) for n in range(300)))
        await stage.effects.reach(300)
    assert sorted(number for _, number in await stage.effects.rows()) == list(range(300))


async def test_when_the_active_instance_ends_the_other_takes_over(stage: Stage) -> None:
    async with stage.consuming():
        async with stage.consuming() as first:
            await stage.publish("thing", *range(10))
            await stage.effects.reach(10)
            first.cancel()
        await stage.publish("thing", *range(10, 20))
        await stage.effects.reach(20)
    assert await stage.effects.by_key() == {"thing": list(range(20))}


async def test_an_event_delivered_again_has_no_second_effect(stage: Stage) -> None:
    # given a consumer that has had five events
    async with stage.consuming():
        await stage.publish("thing", *range(5))
        await stage.effects.reach(5)
    # when its position is lost, so that the transport delivers all of them again
    async with stage.consumer.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute("DELETE FROM event_cursors")
    async with stage.consuming():
        await stage.publish("thing", 5)
        await stage.effects.reach(6)
    # then only the new one had an effect
    assert await stage.effects.by_key() == {"thing": list(range(6))}


async def test_what_was_published_while_the_consumer_was_away_waits_for_it(stage: Stage) -> None:
    await stage.publish("thing", *range(450))
    async with stage.consuming():
        await stage.effects.reach(450)
    await stage.publish("thing", *range(450, 460))
    async with stage.consuming():
        await stage.effects.reach(460)
    assert await stage.effects.by_key() == {"thing": list(range(460))}


async def test_a_consumer_hears_only_the_types_it_names(stage: Stage) -> None:
    consumer = Consumer("picky", ("stage.thing.moved.v1", "other.*"), stage.effects.handle)

    async def publish(type: str, number: int) -> None:
        async with stage.producer.transaction(ACCOUNT) as tx:
            await stage.outbox.publish(tx, event(type, account=ACCOUNT, key=type, body=Moved(number)))

    async with stage.consuming(consumer):
        for number, type in enumerate(
            (
                "stage.thing.moved.v1",
                "stage.thing.moved.v2",
                "other.a.b.v1",
                "otherwise.a.b.v1",
                "other.c.d.v1",
            )
        ):
            await publish(type, number)
        await stage.effects.reach(3)
    assert [number for _, number in await stage.effects.rows()] == [0, 2, 4]


async def test_the_body_arrives_as_it_was_sent(stage: Stage) -> None:
    heard: list[Event] = []

    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        heard.extend(events)
        await stage.effects.handle(tx, [moved("x", 1)])

    sent = event("stage.thing.moved.v1", account=ACCOUNT, key="ключ ✓", body=Moved(7))
    async with stage.consuming(Consumer("listener", ("stage.*",), handle)):
        async with stage.producer.transaction(ACCOUNT) as tx:
            await stage.outbox.publish(tx, sent)
        await stage.effects.reach(1)
    assert heard == [sent]


async def test_several_sources_reach_one_consumer_one_batch_at_a_time(stage: Stage) -> None:
    # given a consumer that is at the same time a producer
    from argosy.backends.events import Outbox

    own, busy = Outbox(stage.consumer), 0

    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        nonlocal busy
        busy += 1
        assert busy == 1
        await stage.effects.handle(tx, events)
        busy -= 1

    async def publish_here(number: int) -> None:
        async with stage.consumer.transaction(ACCOUNT) as tx:
            await own.publish(tx, moved("here", number))

    here = stage.sources["producer"].replace(
        *(_database_name(dsn) for dsn in (stage.sources["producer"], stage.consumer._dsn))
    )
    stage.sources = {**stage.sources, "consumer": here}
    async with stage.consuming(Consumer("mover", ("stage.*",), handle, batch=3)):
        for number in range(30):
            await asyncio.gather(stage.publish("there", number), publish_here(number))
        await stage.effects.reach(60)
    assert await stage.effects.by_key() == {"there": list(range(30)), "here": list(range(30))}


def _database_name(dsn: str) -> str:
    return dsn.partition("@/")[2].partition("?")[0]


async def test_a_rewound_consumer_hears_everything_that_is_kept_again(stage: Stage) -> None:
    async with stage.consuming():
        await stage.publish("thing", *range(5))
        await stage.effects.reach(5)
    async with stage.consumer.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute("DELETE FROM effects")
    await rewind(stage.consumer, "mover")
    async with stage.consuming():
        await stage.effects.reach(5)
    assert await stage.effects.by_key() == {"thing": list(range(5))}


async def test_a_consumer_survives_a_handler_that_is_cancelled_midway(stage: Stage) -> None:
    entered = asyncio.Event()

    async def stuck(tx: Transaction, events: Sequence[Event]) -> None:
        await stage.effects.handle(tx, events)
        entered.set()
        await asyncio.Event().wait()

    async with stage.consuming(Consumer("mover", ("stage.*",), stuck)):
        await stage.publish("thing", 1)
        async with asyncio.timeout(DEADLINE):
            await entered.wait()
    async with stage.consuming():
        await stage.effects.reach(1)
    assert await stage.effects.rows() == [("thing", 1)]


@pytest.mark.parametrize("batch", [1, 3, 200])
async def test_one_transaction_with_more_events_than_a_batch_arrives_whole(stage: Stage, batch: int) -> None:
    async with stage.consuming(stage.plain(batch)):
        await stage.publish("thing", *range(50))
        await stage.effects.reach(50)
    assert await stage.effects.by_key() == {"thing": list(range(50))}
