"""Migrations are applied once, in order, by one instance, and refuse what they do not know."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import asyncpg
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database
from argosy.backends.database.migrations import STANDARD, load, migrate, pending
from argosy.kit.errors import Conflict, Internal, Unavailable
from argosy.kit.ids import new_id
from tests.postgres import TestPostgres

Write = Callable[[str, str], None]
STANDARD_FILES = [migration.file for migration in load(STANDARD)]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"migrations_{new_id()}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return name


@pytest.fixture
def write(tmp_path: Path, package: str) -> Write:
    def write(name: str, sql: str) -> None:
        (tmp_path / package / name).write_text(sql)

    return write


@pytest.fixture
def fresh(server: TestPostgres) -> dict[str, str]:
    return server.new_database(["teams"])


@pytest.fixture
async def database(fresh: dict[str, str]) -> AsyncIterator[Database]:
    database = Database(fresh["teams"], service="teams")
    await database.open()
    yield database
    await database.close()


async def tables(database: Database) -> set[str]:
    async with database.transaction(EVERY_ACCOUNT) as tx:
        rows = await tx.fetch("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'teams'")
    return {row["name"] for row in rows}


async def test_files_are_applied_in_order_and_only_once(
    database: Database, package: str, write: Write
) -> None:
    write("0001_teams.sql", "CREATE TABLE teams (id text); CREATE TABLE names (id text);")
    write("0002_more.sql", "ALTER TABLE teams ADD COLUMN name text")
    assert await pending(database, package) == [*STANDARD_FILES, "0001_teams.sql", "0002_more.sql"]
    assert await tables(database) == set()
    assert await migrate(database, package) == [*STANDARD_FILES, "0001_teams.sql", "0002_more.sql"]
    assert {"teams", "names", "outbox", "inbox", "dead_letters"} <= await tables(database)
    assert await migrate(database, package) == []
    write("0003_last.sql", "DROP TABLE names")
    assert await pending(database, package) == ["0003_last.sql"]
    assert await migrate(database, package) == ["0003_last.sql"]


async def test_instances_that_start_together_migrate_once(
    database: Database, fresh: dict[str, str], package: str, write: Write
) -> None:
    write("0001_teams.sql", "SELECT pg_sleep(0.1); CREATE TABLE teams (id text)")
    others = [Database(fresh["teams"], service="teams") for _ in range(4)]
    applied = await asyncio.gather(*(migrate(one, package) for one in others))
    assert sorted(map(len, applied)) == [0, 0, 0, len(STANDARD_FILES) + 1]


async def test_a_migration_that_fails_leaves_nothing_and_says_which(
    database: Database, package: str, write: Write
) -> None:
    write("0001_teams.sql", "CREATE TABLE teams (id text); SELECT 1/0;")
    with pytest.raises(Internal) as caught:
        await migrate(database, package)
    assert caught.value.code == "migrations.failed"
    assert "0001_teams.sql" in caught.value.message and caught.value.cure
    assert "teams" not in await tables(database)
    write("0001_teams.sql", "CREATE TABLE teams (id text)")
    assert await migrate(database, package) == ["0001_teams.sql"]


async def test_an_applied_file_that_was_edited_is_refused(
    database: Database, package: str, write: Write
) -> None:
    write("0001_teams.sql", "CREATE TABLE teams (id text)")
    await migrate(database, package)
    write("0001_teams.sql", "CREATE TABLE teams (id integer)")
    for refused in (migrate, pending):
        with pytest.raises(Conflict) as caught:
            await refused(database, package)
        assert caught.value.code == "migrations.changed"


async def test_a_database_newer_than_the_program_is_refused(
    database: Database, package: str, write: Write, tmp_path: Path
) -> None:
    write("0001_teams.sql", "CREATE TABLE teams (id text)")
    write("0002_more.sql", "SELECT 1")
    await migrate(database, package)
    (tmp_path / package / "0002_more.sql").unlink()
    with pytest.raises(Conflict) as caught:
        await migrate(database, package)
    assert caught.value.code == "migrations.newer"
    assert "0002_more" in caught.value.message


@pytest.mark.parametrize("name", ["0002_gap.sql", "1_short.sql", "0001-dash.sql", "0001_Case.sql"])
def test_a_file_with_a_wrong_name_or_number_is_refused(package: str, write: Write, name: str) -> None:
    write(name, "SELECT 1")
    with pytest.raises(Internal) as caught:
        load(package)
    assert name in caught.value.message


async def test_migrations_may_touch_rows_of_every_account(
    database: Database, package: str, write: Write
) -> None:
    write(
        "0001_teams.sql",
        "CREATE TABLE teams (account text NOT NULL); SELECT isolate_accounts('teams');"
        "INSERT INTO teams VALUES ('5f0000000000000000000001');",
    )
    write("0002_more.sql", "UPDATE teams SET account = '5f0000000000000000000002'")
    await migrate(database, package)
    async with database.transaction("5f0000000000000000000002") as tx:
        assert await tx.fetchval("SELECT count(*) FROM teams") == 1


async def test_a_restored_copy_on_another_server_begins_a_new_epoch(database: Database) -> None:
    await migrate(database)
    async with database.transaction(EVERY_ACCOUNT) as tx:
        before = await tx.fetchval("SELECT epoch FROM outbox_state")
        await tx.execute("UPDATE outbox_state SET server = server + 1")
    await migrate(database)
    async with database.transaction(EVERY_ACCOUNT) as tx:
        after = await tx.fetchval("SELECT epoch FROM outbox_state")
    assert after != before
    await migrate(database)
    async with database.transaction(EVERY_ACCOUNT) as tx:
        assert await tx.fetchval("SELECT epoch FROM outbox_state") == after


async def owned_by(server: TestPostgres, user: str) -> str:
    """What an operator is asked for: an empty database and a role that owns it. How that role connects."""
    name = server.create_database()
    admin = await asyncpg.connect(server.dsn(database=name))
    await admin.execute(f"CREATE ROLE {user} LOGIN PASSWORD 'of {user}'")
    await admin.execute(f'ALTER DATABASE "{name}" OWNER TO {user}')
    await admin.close()
    folder = server.dsn().partition("?")[2]
    return f"postgresql://{user}:of%20{user}@/{name}?{folder}"


async def test_an_empty_database_of_ones_own_gets_its_schema(server: TestPostgres) -> None:
    database = Database(await owned_by(server, "operator_made"), service="teams")
    await database.open()
    assert await migrate(database) == STANDARD_FILES
    assert "outbox" in await tables(database)
    assert await migrate(database) == []
    await database.close()


async def test_a_role_that_may_not_make_the_schema_is_told_what_to_do(server: TestPostgres) -> None:
    await owned_by(server, "owner_of_none")
    foreign = server.create_database()
    dsn = server.dsn(database=foreign).partition("?")[2]
    database = Database(f"postgresql://owner_of_none:of%20owner_of_none@/{foreign}?{dsn}", service="teams")
    await database.open()
    with pytest.raises(Unavailable) as caught:
        await migrate(database)
    assert caught.value.code == "migrations.schema"
    assert "no schema teams" in caught.value.message and "owner_of_none" in (caught.value.cure or "")
    await database.close()


async def test_a_database_that_is_away_is_an_outage_not_a_crash(tmp_path: Path) -> None:
    database = Database(f"postgresql://x@/x?host={tmp_path}", service="teams")
    with pytest.raises(Unavailable):
        await migrate(database)
