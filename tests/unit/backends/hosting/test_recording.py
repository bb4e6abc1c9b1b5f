"""What was noted reaches the outbox, also when the database was away in between."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import msgspec
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction
from argosy.backends.database.migrations import migrate
from argosy.backends.events import Outbox
from argosy.backends.hosting import Recorder
from argosy.contracts.audit import Actor, Recorded
from argosy.contracts.events import Event
from argosy.kit.calls import Call, Principal
from argosy.kit.clock import now
from argosy.kit.errors import Unavailable
from tests.postgres import TestPostgres

NOTE = Recorded(
    id="5" * 24, time=now(), account="a" * 24, kind="read", actor=Actor("anonymous", "", "", ""), remote="192.0.2.7",
    user_agent="", service="gateway", operation="users", resource="user", resource_id="", resource_name="",
    result="denied", before=msgspec.Raw(b"null"), after=msgspec.Raw(b"null"), request_id="request",
)  # fmt: skip


class BrokenOutbox(Outbox):
    """Refuses until it is mended."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.broken = True
        self.published = asyncio.Event()

    async def publish(self, tx: Transaction, *events: Event) -> None:
        if self.broken:
            raise Unavailable("the database does not answer", code="database.unavailable")
        await super().publish(tx, *events)
        tx.after_commit(self.published.set)


async def test_notes_of_an_outage_are_written_when_the_loop_is_started_again() -> None:
    with TestPostgres() as server:
        database = Database(server.new_database(services=["things"])["things"], service="things")
        await database.open()
        await migrate(database)
        outbox = BrokenOutbox(database)
        recorder = Recorder("things", database, outbox)
        call = Call(Principal(kind="user", id="6" * 24, account="a" * 24), "request", 2e10)
        recorder.note(call, "read", "ok", "thing", "", "")
        with pytest.raises(Unavailable):
            await recorder.run()

        outbox.broken = False
        again = asyncio.create_task(recorder.run())
        await asyncio.wait_for(outbox.published.wait(), 10)
        again.cancel()
        with suppress(asyncio.CancelledError):
            await again
        async with database.transaction(EVERY_ACCOUNT) as tx:
            written = await tx.fetchval("SELECT count(*) FROM outbox")
        await database.close()

    assert written == 1


async def test_notes_of_a_part_without_an_outbox_are_written_before_they_are_acknowledged() -> None:
    with TestPostgres() as server:
        database = Database(server.new_database(services=["things"])["things"], service="things")
        await database.open()
        await migrate(database)
        outbox = BrokenOutbox(database)
        recorder = Recorder("things", database, outbox)
        with pytest.raises(Unavailable):
            await recorder.take([NOTE])

        outbox.broken = False
        await recorder.take([NOTE])

        async with database.transaction(EVERY_ACCOUNT) as tx:
            written = await tx.fetchval("SELECT count(*) FROM outbox")
        await database.close()

    assert written == 1
