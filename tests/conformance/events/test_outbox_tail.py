"""What the outbox itself promises, whatever carries it: a tail that is kept, restores, and no silent gap."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import asyncpg
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database, Statements
from argosy.backends.events import Outbox, prune, source
from argosy.kit.errors import Conflict
from argosy.kit.ids import new_id
from tests.conformance.events.conftest import ACCOUNT, DEADLINE, Stage, moved


async def age(stage: Stage, below: int) -> None:
    """The events up to the given number become three weeks old."""
    async with stage.producer.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute(
            "UPDATE outbox SET time = now() - interval '21 days' WHERE (body->>'number')::int <= $1", below
        )


async def test_pruning_forgets_what_is_older_than_the_tail_and_nothing_else(stage: Stage) -> None:
    await stage.publish("thing", *range(2500))
    await age(stage, 2299)
    assert await prune(stage.producer) == 2300
    assert await prune(stage.producer) == 0
    async with stage.producer.transaction(EVERY_ACCOUNT) as tx:
        assert await tx.fetchval("SELECT count(*) FROM outbox") == 200


async def test_a_new_consumer_starts_with_the_tail(stage: Stage) -> None:
    await stage.publish("thing", *range(10))
    await age(stage, 4)
    await prune(stage.producer)
    async with stage.consuming():
        await stage.effects.reach(5)
    assert await stage.effects.by_key() == {"thing": list(range(5, 10))}


async def test_a_consumer_that_was_away_for_longer_than_the_tail_fails_loudly(stage: Stage) -> None:
    # given a consumer that has had two events, and then was away
    await stage.publish("thing", 0, 1)
    async with stage.consuming():
        await stage.effects.reach(2)
    # when events that it has not had are pruned
    await stage.publish("thing", *range(2, 10))
    await age(stage, 5)
    await prune(stage.producer)
    # then it stops and says so, instead of going on with a hole
    with pytest.raises(Conflict) as caught:
        async with asyncio.timeout(DEADLINE):
            await stage.make(stage.sources).run(stage.plain(), stage.consumer)
    assert caught.value.code == "events.position_too_old"
    assert len(await stage.effects.rows()) == 2


async def test_a_consumer_that_is_up_to_date_does_not_mind_pruning(stage: Stage) -> None:
    async with stage.consuming():
        await stage.publish("thing", *range(5))
        await stage.effects.reach(5)
        await age(stage, 4)
        await prune(stage.producer)
        await stage.publish("thing", 5)
        await stage.effects.reach(6)


async def test_what_is_handled_is_remembered_longer_than_events_are_kept(stage: Stage) -> None:
    async with stage.consuming():
        await stage.publish("thing", 0, 1)
        await stage.effects.reach(2)
    async with stage.consumer.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute("UPDATE inbox SET handled = now() - interval '20 days'")
    await prune(stage.consumer)
    async with stage.consumer.transaction(EVERY_ACCOUNT) as tx:
        assert await tx.fetchval("SELECT count(*) FROM inbox") == 2
    await prune(stage.consumer, keep=timedelta(days=12))
    async with stage.consumer.transaction(EVERY_ACCOUNT) as tx:
        assert await tx.fetchval("SELECT count(*) FROM inbox") == 0


async def test_a_restored_producer_whose_numbers_begin_again_is_heard_and_nothing_is_doubled(
    stage: Stage,
) -> None:
    # given a producer that was restored from an older backup: the last events and their numbers are gone
    async with stage.consuming():
        await stage.publish("thing", *range(10))
        await stage.effects.reach(10)
        async with stage.producer.transaction(EVERY_ACCOUNT) as tx:
            await tx.execute("DELETE FROM outbox WHERE (body->>'number')::int >= 5")
            await tx.execute("SELECT setval('outbox_seq', (SELECT max(seq) FROM outbox))")
            await tx.execute("UPDATE outbox_state SET epoch = $1", new_id())
        # when it goes on with the same numbers, then what is new arrives and what is old does not again
        await stage.publish("thing", 100)
        await stage.effects.reach(11)
    assert await stage.effects.by_key() == {"thing": [*range(10), 100]}


async def test_an_event_that_no_notification_told_of_is_found_by_the_sweep(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "SWEEP_SECONDS", 0.1)
    monkeypatch.setattr(stage.producer, "notify_soon", lambda *_: None)
    async with stage.consuming():
        await stage.publish("thing", 1)
        await stage.effects.reach(1)


async def test_a_sweep_that_failed_is_not_the_last_one(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "SWEEP_SECONDS", 0.05)
    monkeypatch.setattr(stage.producer, "notify_soon", lambda *_: None)
    look, failed = source.Server._look, asyncio.Event()

    async def fails_once(self: source.Server, statements: Statements, schema: str) -> None:
        if not failed.is_set():
            failed.set()
            raise asyncpg.OutOfMemoryError("out of memory")
        await look(self, statements, schema)

    async with stage.consuming():
        monkeypatch.setattr(source.Server, "_look", fails_once)
        async with asyncio.timeout(DEADLINE):
            await failed.wait()
        await stage.publish("thing", 1)
        await stage.effects.reach(1)


@pytest.mark.parametrize("order", [1, -1])
async def test_a_consumer_that_starts_while_the_last_one_stops_hears_all_its_sources(
    stage: Stage, places: tuple[dict[str, str], dict[str, str]], monkeypatch: pytest.MonkeyPatch, order: int
) -> None:
    # given a transport over two servers, whose only consumer stops; closing the first server takes a while
    sources = {"producer": places[0]["events"], "consumer": places[1]["events"]}
    transport = stage.make(dict(list(sources.items())[::order]))
    ready, closing, close = asyncio.Event(), asyncio.Event(), Database.close

    async def slowly(database: Database) -> None:
        closing.set()
        await asyncio.sleep(0.1)
        await close(database)

    async with asyncio.timeout(DEADLINE):
        first = asyncio.create_task(transport.run(stage.plain(), stage.consumer, ready=ready))
        await ready.wait()
        monkeypatch.setattr(Database, "close", slowly)
        first.cancel()
        await closing.wait()
        # when another one starts meanwhile, then it hears both
        ready.clear()
        again = asyncio.create_task(transport.run(stage.plain(), stage.consumer, ready=ready))
        await ready.wait()
        await asyncio.wait([first])
    await stage.publish("thing", 1)
    async with stage.consumer.transaction(ACCOUNT) as tx:
        await Outbox(stage.consumer).publish(tx, moved("other", 2))
    await stage.effects.reach(2)
    again.cancel()
    await asyncio.wait([again])


async def test_a_transaction_that_holds_events_back_for_long_is_named_in_the_log(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "SWEEP_SECONDS", 0.05)
    monkeypatch.setattr(source, "WARN_SECONDS", 0.2)
    warned: asyncio.Queue[tuple[str, dict[str, object]]] = asyncio.Queue()
    monkeypatch.setattr(
        source.log, "warning", lambda event, **facts: warned.put_nowait((event, facts)), raising=False
    )
    async with stage.consuming(), stage.producer.transaction(ACCOUNT) as tx:
        await stage.outbox.publish(tx, moved("thing", 1))
        pid = await tx.fetchval("SELECT pg_backend_pid()")
        await stage.publish("thing", 2)
        async with asyncio.timeout(DEADLINE):
            event, facts = await warned.get()
    assert (event, facts["pid"]) == ("events.held_back_by_open_transaction", pid)
