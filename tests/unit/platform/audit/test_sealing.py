"""Records become entries: once each, numbered without gaps, in chains of their own."""

from __future__ import annotations

import asyncio
import json

import msgspec
import pytest

from argosy.backends.events import PostgresTransport
from argosy.backends.hosting.recording import recorded_event
from argosy.contracts.audit import RECORDED, Actor
from argosy.contracts.events import event
from argosy.contracts.paging import ById
from argosy.kit.errors import Invalid, NotFound
from tests.postgres import TestPostgres
from tests.unit.platform.audit.conftest import ACCOUNT, OTHER, World, admin, record


async def test_an_event_delivered_again_adds_nothing(world: World) -> None:
    one = record(world.clock)
    await world.seal(one, one)
    await world.seal(one)

    assert [entry.id for entry in await world.list()] == [one.id]
    assert (await world.verify()).entries == 1


async def test_accounts_and_kinds_have_chains_of_their_own(world: World) -> None:
    await world.seal(
        record(world.clock),
        record(world.clock, kind="read"),
        record(world.clock, account=OTHER),
        record(world.clock),
        record(world.clock, account=""),
    )

    assert [(entry.kind, entry.number) for entry in await world.list()] == [
        ("change", 2),
        ("read", 1),
        ("change", 1),
    ]
    assert [entry.number for entry in await world.list(OTHER)] == [1]


async def test_sealers_at_the_same_time_leave_one_chain_without_gaps(world: World) -> None:
    batches = [[record(world.clock, account=account) for account in (ACCOUNT, OTHER) * 5] for _ in range(8)]

    await asyncio.gather(*(world.seal(*batch) for batch in batches))

    found = await world.verify()
    assert found.whole and found.entries == 40


async def test_an_entry_shows_before_and_after_and_lists_leave_them_out(world: World) -> None:
    one = record(world.clock, before=msgspec.Raw(b'{"a": 1}'))
    await world.seal(one)

    entry = await world.api.entry(call=admin(), request=ById(one.id))

    assert json.loads(bytes(entry.before)) == {"a": 1} and json.loads(bytes(entry.after)) == {
        "name": "Deck crew"
    }
    assert bytes((await world.list())[0].after) == b"null"
    assert entry.actor == one.actor and entry.time == one.time and len(entry.hash) == 64


async def test_an_entry_of_another_account_answers_like_an_absent_one(world: World) -> None:
    one = record(world.clock, account=OTHER)
    await world.seal(one)

    with pytest.raises(NotFound) as foreign:
        await world.api.entry(call=admin(), request=ById(one.id))
    with pytest.raises(NotFound) as absent:
        await world.api.entry(call=admin(), request=ById("f" * 24))

    assert foreign.value.message.replace(one.id, "") == absent.value.message.replace("f" * 24, "")


async def test_hostile_text_is_stored_and_verifies(world: World) -> None:
    await world.seal(
        record(
            world.clock,
            actor=Actor("user", "u", "nul\0 and 'quote' \\ \U0001f6a2 \u202e", ""),
            user_agent="x" * 5000,
            resource_name="'); DROP TABLE entries; --",
            after=msgspec.Raw(b'{"nul": "\\u0000"}'),
        )
    )

    (entry,) = await world.list(search="drop")
    assert "\0" not in entry.actor.name and len(entry.user_agent) == 500
    assert (await world.verify()).whole


async def test_a_huge_value_is_named_by_size_and_hash(world: World) -> None:
    one = record(world.clock, after=msgspec.Raw(b'"' + b"x" * 300_000 + b'"'))
    await world.seal(one)

    entry = await world.api.entry(call=admin(), request=ById(one.id))

    assert json.loads(bytes(entry.after))["omitted_bytes"] == 300_002


@pytest.mark.parametrize("fields", [{"id": "short"}, {"account": "not-an-id"}])
async def test_a_malformed_record_is_refused_with_a_reason(world: World, fields: dict[str, str]) -> None:
    with pytest.raises(Invalid):
        await world.seal(record(world.clock, **fields))


async def test_a_record_cannot_slip_into_another_account(world: World) -> None:
    body = record(world.clock, account=OTHER)

    with pytest.raises(Invalid):
        async with world.database.transaction("*") as tx:
            await world.sealer.handle(tx, [event(RECORDED, account=ACCOUNT, key="k", body=body)])


async def test_what_a_service_commits_is_in_the_log_within_a_second(
    world: World, server: TestPostgres
) -> None:
    ready, seen = asyncio.Event(), asyncio.Event()
    name = world.database._dsn.rpartition("@/")[2].partition("?")[0]
    transport = PostgresTransport({"audit": server.dsn("events", name)})
    stop = await world.database.listen("audit_sealed", lambda account: account == ACCOUNT and seen.set())  # type: ignore[func-returns-value]
    running = asyncio.create_task(transport.run(world.sealer, world.database, ready=ready))
    try:
        async with asyncio.timeout(10):
            await ready.wait()
        async with world.database.transaction(ACCOUNT) as tx:
            await world.outbox.publish(tx, recorded_event(record(world.clock)))
        async with asyncio.timeout(1):
            await seen.wait()
        assert len(await world.list()) == 1
    finally:
        stop()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
