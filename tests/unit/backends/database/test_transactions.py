"""What a transaction promises its caller."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction, in_transaction
from argosy.kit.errors import ArgosyError, Conflict, DeadlineExceeded, Internal, Unavailable

ACCOUNT = "5f0000000000000000000001"


@pytest.fixture(autouse=True)
async def table(teams: Database) -> None:
    async with teams.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute("DROP TABLE IF EXISTS things")
        await tx.execute("CREATE TABLE things (id integer PRIMARY KEY, name text)")


async def names(teams: Database) -> list[str]:
    async with teams.transaction(ACCOUNT, read_only=True) as tx:
        return [row["name"] for row in await tx.fetch("SELECT name FROM things ORDER BY id")]


async def test_what_is_done_in_the_block_is_committed_at_its_end(teams: Database) -> None:
    told: list[str] = []
    async with teams.transaction(ACCOUNT) as tx:
        tx.after_commit(lambda: told.append("committed"))
        assert await tx.execute("INSERT INTO things VALUES ($1, $2), (2, 'b')", 1, "a") == 2
        assert told == []
    assert await names(teams) == ["a", "b"]
    assert told == ["committed"]


async def test_a_block_that_raises_leaves_nothing_behind(teams: Database) -> None:
    told: list[str] = []
    with pytest.raises(ValueError):
        async with teams.transaction(ACCOUNT) as tx:
            tx.after_commit(lambda: told.append("committed"))
            await tx.execute("INSERT INTO things VALUES (1, 'a')")
            raise ValueError("no")
    assert await names(teams) == []
    assert told == []


async def test_a_failed_statement_that_was_hidden_is_not_taken_for_a_commit(teams: Database) -> None:
    with pytest.raises(Internal) as caught:
        async with teams.transaction(ACCOUNT) as tx:
            await tx.execute("INSERT INTO things VALUES (1, 'a')")
            with pytest.raises(Conflict):
                await tx.execute("INSERT INTO things VALUES (1, 'a')")
    assert caught.value.code == "database.rolled_back"
    assert await names(teams) == []


async def test_a_savepoint_undoes_its_part_alone(teams: Database) -> None:
    told: list[str] = []
    async with teams.transaction(ACCOUNT) as tx:
        await tx.execute("INSERT INTO things VALUES (1, 'a')")
        with pytest.raises(Conflict):
            async with tx.savepoint():
                tx.after_commit(lambda: told.append("never"))
                await tx.execute("INSERT INTO things VALUES (2, 'b')")
                async with tx.savepoint():
                    await tx.execute("INSERT INTO things VALUES (1, 'a')")
        await tx.execute("INSERT INTO things VALUES (3, 'c')")
    assert await names(teams) == ["a", "c"]
    assert told == []


async def test_a_callback_that_fails_does_not_look_like_a_failed_commit(teams: Database) -> None:
    async with teams.transaction(ACCOUNT) as tx:
        tx.after_commit(lambda: 1 / 0)
        await tx.execute("INSERT INTO things VALUES (1, 'a')")
    assert await names(teams) == ["a"]


async def test_a_reader_cannot_write(teams: Database) -> None:
    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        async with teams.transaction(ACCOUNT, read_only=True) as tx:
            await tx.execute("INSERT INTO things VALUES (1, 'a')")


@pytest.mark.parametrize(
    "account", ["", "x", "5F0000000000000000000001", "5f00000000000000000000'; --", "**"]
)
async def test_an_account_is_an_id_and_nothing_else(teams: Database, account: str) -> None:
    with pytest.raises(Internal):
        teams.transaction(account)


async def test_code_can_tell_that_it_runs_inside_a_transaction(teams: Database) -> None:
    over, seen = asyncio.Event(), list[bool]()

    async def started_inside() -> None:
        seen.append(in_transaction())
        await over.wait()
        seen.append(in_transaction())

    assert not in_transaction()
    async with teams.transaction(ACCOUNT):
        task = asyncio.create_task(started_inside())
        assert in_transaction()
        async with teams.transaction(ACCOUNT):
            assert in_transaction()
        assert in_transaction()
        await asyncio.sleep(0)
    assert not in_transaction()
    over.set()
    await task
    assert seen == [True, False]


async def test_a_cancelled_caller_leaves_no_open_transaction_and_no_lost_connection(teams: Database) -> None:
    async def stuck() -> None:
        async with teams.transaction(ACCOUNT) as tx:
            await tx.execute("INSERT INTO things VALUES (1, 'a')")
            await tx.execute("SELECT pg_sleep(60)")

    for _ in range(10):  # more often than there are connections
        task = asyncio.create_task(stuck())
        await until_sleeping(teams)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await names(teams) == []


async def until_sleeping(teams: Database) -> None:
    async with asyncio.timeout(10):
        while True:
            async with teams.autocommit() as statements:
                if await statements.fetchval(
                    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'"
                ):
                    return


async def test_a_deadlock_is_tried_again_until_both_are_done(teams: Database) -> None:
    async with teams.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute("INSERT INTO things VALUES (1, ''), (2, '')")
    met = asyncio.Barrier(2)
    tries: list[int] = []

    async def touch(first: int, second: int) -> None:
        async def work(tx: Transaction) -> None:
            tries.append(first)
            await tx.execute("UPDATE things SET name = name || $2 WHERE id = $1", first, "x")
            if len(tries) <= 2:
                await met.wait()
            await tx.execute("UPDATE things SET name = name || $2 WHERE id = $1", second, "x")

        await teams.run(ACCOUNT, work)

    await asyncio.gather(touch(1, 2), touch(2, 1))
    assert await names(teams) == ["xx", "xx"]
    assert len(tries) == 3


@pytest.mark.parametrize(
    ("state", "kind", "code"),
    [
        ("53100", Unavailable, "database.disk_full"),
        ("40001", Conflict, "database.conflict"),
        ("23505", Conflict, "database.duplicate"),
        ("23503", Conflict, "database.reference"),
        ("57014", DeadlineExceeded, "database.deadline"),
        ("53300", Unavailable, "database.too_many_connections"),
        ("57P01", Unavailable, "database.unavailable"),
    ],
)
async def test_what_postgresql_says_becomes_an_error_with_a_code(
    teams: Database, state: str, kind: type[ArgosyError], code: str
) -> None:
    with pytest.raises(kind) as caught:
        async with teams.transaction(ACCOUNT) as tx:
            await tx.execute(f"DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '{state}'; END $$")
    assert caught.value.code == code
    assert caught.value.message


async def test_a_duplicate_names_the_constraint(teams: Database) -> None:
    with pytest.raises(Conflict) as caught:
        async with teams.transaction(ACCOUNT) as tx:
            await tx.execute("INSERT INTO things VALUES (1, 'a')")
            await tx.execute("INSERT INTO things VALUES (1, 'a')")
    assert caught.value.context["constraint"] == "things_pkey"
