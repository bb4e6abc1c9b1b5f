"""What stands behind every store: PostgreSQL itself shows no row of another account and no table of another service."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database
from argosy.backends.database.migrations import migrate

OURS, THEIRS = "5f0000000000000000000001", "5f0000000000000000000002"


@pytest.fixture(autouse=True)
async def rows(teams: Database) -> None:
    async with teams.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute("DROP TABLE IF EXISTS teams")
        await tx.execute("CREATE TABLE teams (id integer PRIMARY KEY, account text NOT NULL, name text)")
        await tx.execute("SELECT isolate_accounts('teams')")
        await tx.execute(f"INSERT INTO teams VALUES (1, '{OURS}', 'a'), (2, '{THEIRS}', 'a'), (3, '', 'all')")


@pytest.fixture
async def billing(dsns: dict[str, str]) -> AsyncIterator[Database]:
    database = Database(dsns["billing"], service="billing")
    await database.open()
    await migrate(database)
    yield database
    await database.close()


async def test_a_forgotten_where_shows_no_row_of_another_account(teams: Database) -> None:
    async with teams.transaction(OURS) as tx:
        assert [row["id"] for row in await tx.fetch("SELECT * FROM teams")] == [1]
        assert await tx.fetchval("SELECT count(*) FROM teams") == 1
        assert await tx.execute("UPDATE teams SET name = 'b'") == 1
        assert await tx.execute("DELETE FROM teams WHERE id <> 1") == 0


async def test_machinery_that_serves_every_account_sees_every_row(teams: Database) -> None:
    async with teams.transaction(EVERY_ACCOUNT) as tx:
        assert await tx.fetchval("SELECT count(*) FROM teams") == 3


async def test_without_an_account_nothing_is_visible(teams: Database, dsns: dict[str, str]) -> None:
    # given a session that never had one
    link = await asyncpg.connect(dsns["teams"])
    assert await link.fetchval("SELECT count(*) FROM teams") == 0
    await link.close()
    # and given sessions that had one in an earlier transaction, which leaves the setting empty, not absent
    for _ in range(8):
        async with teams.transaction(OURS) as tx:
            assert await tx.fetchval("SELECT count(*) FROM teams") == 1
        async with teams.autocommit() as statements:
            assert await statements.fetchval("SELECT count(*) FROM teams") == 0


async def test_a_row_cannot_be_written_into_another_account_or_moved_there(teams: Database) -> None:
    for sql in ("INSERT INTO teams VALUES (9, $1, 'x')", "UPDATE teams SET account = $1"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with teams.transaction(OURS) as tx:
                await tx.execute(sql, THEIRS)


async def test_a_service_cannot_read_or_find_the_tables_of_another(
    teams: Database, billing: Database
) -> None:
    for sql in (
        "SELECT * FROM teams.teams",
        "SELECT * FROM teams.outbox",
        "CREATE TABLE teams.mine (id int)",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with billing.transaction(EVERY_ACCOUNT) as tx:
                await tx.execute(sql)
    with pytest.raises(asyncpg.UndefinedTableError):
        async with billing.transaction(EVERY_ACCOUNT) as tx:
            await tx.execute("SELECT * FROM teams")


async def test_the_reader_of_events_reads_outboxes_and_nothing_else(
    teams: Database, dsns: dict[str, str]
) -> None:
    link = await asyncpg.connect(dsns["events"])
    assert await link.fetch("SELECT * FROM teams.outbox") == []
    for sql in (
        "SELECT * FROM teams.teams",
        "SELECT * FROM teams.dead_letters",
        "SELECT * FROM teams.inbox",
        "DELETE FROM teams.outbox",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await link.execute(sql)
    await link.close()


async def test_a_service_cannot_switch_row_level_security_off_for_its_session(teams: Database) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with teams.transaction(OURS) as tx:
            await tx.execute("SET LOCAL row_security = off")
            await tx.fetch("SELECT * FROM teams")
