"""A database that is away degrades its service: quick, clear answers, and recovery without a restart."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress

import asyncpg
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction
from argosy.kit.errors import Unavailable
from tests.postgres import TestPostgres


@pytest.fixture
def frail() -> Iterator[TestPostgres]:
    """A server of the test's own, to stop and start."""
    with TestPostgres("synchronous_commit=on") as server:
        yield server


@pytest.fixture
async def database(frail: TestPostgres) -> AsyncIterator[Database]:
    database = Database(frail.new_database(["teams"])["teams"], service="teams", pool_size=3)
    yield database
    await database.close()


async def answers(database: Database) -> bool:
    async with database.transaction(EVERY_ACCOUNT) as tx:
        return bool(await tx.fetchval("SELECT true"))


async def test_opening_while_the_server_is_down_succeeds_and_calls_say_why_until_it_is_back(
    frail: TestPostgres, database: Database
) -> None:
    frail.kill()
    await database.open()
    assert not database.ready
    started = time.monotonic()
    with pytest.raises(Unavailable) as caught:
        await answers(database)
    assert time.monotonic() - started < 3.5
    assert caught.value.code == "database.unavailable"
    assert "throw-away" not in caught.value.message + database.reason
    frail.start()
    assert await answers(database)
    assert database.ready and database.reason == ""


async def test_connections_that_died_with_the_server_are_replaced_unnoticed(
    frail: TestPostgres, database: Database
) -> None:
    await database.open()
    await asyncio.gather(*(answers(database) for _ in range(3)))
    frail.kill()
    frail.start()
    assert all(await asyncio.gather(*(answers(database) for _ in range(6))))


async def test_a_server_that_dies_within_a_transaction_is_an_outage_and_nothing_was_committed(
    frail: TestPostgres, database: Database
) -> None:
    await database.open()
    with pytest.raises(Unavailable):
        async with database.transaction(EVERY_ACCOUNT) as tx:
            await tx.execute("CREATE TABLE things (id integer)")
            frail.kill()
            await tx.execute("SELECT 1")
    frail.start()
    async with database.transaction(EVERY_ACCOUNT) as tx:
        assert await tx.fetchval("SELECT to_regclass('things')") is None


async def test_losing_the_server_at_commit_is_told_as_unknown(
    frail: TestPostgres, database: Database
) -> None:
    await database.open()
    with pytest.raises(Unavailable) as caught:
        async with database.transaction(EVERY_ACCOUNT) as tx:
            await tx.execute("SELECT 1")
            frail.kill()
    assert caught.value.code in {"database.outcome_unknown", "database.unavailable"}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda tx: tx.execute("SELECT $1::integer", "no number"),
        lambda tx: tx.execute("SELECT 1", "one too many"),
        lambda tx: asyncio.gather(tx.execute("SELECT pg_sleep(0.1)"), tx.execute("SELECT 1")),
    ],
    ids=["a wrong value", "a wrong count", "two at once"],
)
async def test_what_the_driver_finds_wrong_with_our_own_code_is_no_outage(
    teams: Database, wrong: Callable[[Transaction], Awaitable[object]]
) -> None:
    with pytest.raises((asyncpg.InterfaceError, asyncpg.DataError)):
        async with teams.transaction(EVERY_ACCOUNT) as tx:
            await wrong(tx)
    assert teams.ready
    assert await answers(teams)


async def test_a_statement_that_still_runs_at_commit_is_a_fault_and_nothing_was_committed(
    teams: Database,
) -> None:
    async with teams.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute("DROP TABLE IF EXISTS things")

    with pytest.raises(asyncpg.InterfaceError, match="in progress"):
        async with teams.transaction(EVERY_ACCOUNT) as tx:
            await tx.execute("CREATE TABLE things (id integer)")
            forgotten = asyncio.create_task(tx.execute("SELECT pg_sleep(1)"))
            await asyncio.sleep(0)

    with pytest.raises(Unavailable):
        await forgotten
    assert teams.ready
    async with teams.transaction(EVERY_ACCOUNT) as tx:
        assert await tx.fetchval("SELECT to_regclass('things')") is None


async def test_a_connection_that_is_closed_under_a_transaction_is_an_outage(teams: Database) -> None:
    with pytest.raises(Unavailable) as caught:
        async with teams.transaction(EVERY_ACCOUNT) as tx:
            with suppress(Unavailable):
                await tx.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            await tx.execute("SELECT 1")
    assert caught.value.code == "database.unavailable"


async def test_a_pool_that_is_used_up_says_so_instead_of_hanging(
    server: TestPostgres, dsns: dict[str, str]
) -> None:
    database = Database(dsns["teams"], service="teams", pool_size=1)
    await database.open()
    async with database.transaction(EVERY_ACCOUNT):
        started = time.monotonic()
        with pytest.raises(Unavailable) as caught:
            await answers(database)
        assert caught.value.code == "database.busy"
        assert time.monotonic() - started < 10  # far from the 30 s that a statement may take
    assert await answers(database)
    await database.close()


async def test_a_wrong_password_is_told_without_showing_it(
    server: TestPostgres, dsns: dict[str, str]
) -> None:
    database = Database(dsns["teams"].replace("throw-away", "wrong-secret"), service="teams")
    await database.open()
    with pytest.raises(Unavailable) as caught:
        await database.ping()
    assert caught.value.code == "database.refused"
    assert "wrong-secret" not in caught.value.message
    await database.close()


async def test_a_server_that_hangs_is_given_up_within_three_seconds(
    frail: TestPostgres, database: Database
) -> None:
    # given a connection in the pool, and the server's process behind it standing still
    await database.open()
    async with database.transaction(EVERY_ACCOUNT) as tx:
        backend = await tx.fetchval("SELECT pg_backend_pid()")
    frozen = [backend, frail.pid]
    try:
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        # when it is asked, on that connection and on new ones, then it is an outage soon
        for _ in range(2):
            started = time.monotonic()
            with pytest.raises(Unavailable):
                await answers(database)
            assert time.monotonic() - started < 10  # far from the 30 s that a statement may take
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)
    assert await answers(database)


async def test_a_listener_comes_back_after_a_restart_and_says_that_it_was_away(
    frail: TestPostgres, database: Database
) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    await database.open()
    await database.listen("news", heard.put_nowait)
    async with asyncio.timeout(15):
        assert await heard.get() == ""
        database.notify_soon("news", "first")
        assert await heard.get() == "first"
        frail.kill()
        frail.start()
        assert await heard.get() == ""
        database.notify_soon("news", "second")
        assert await heard.get() == "second"


async def test_equal_notifications_are_sent_once_while_one_is_under_way(teams: Database) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    await teams.listen("news", heard.put_nowait)
    async with asyncio.timeout(15):
        await heard.get()
        for _ in range(100):
            teams.notify_soon("news", "same")
        teams.notify_soon("news", "last")
        got = [await heard.get()]
        while got[-1] != "last":
            got.append(await heard.get())
    assert got.count("same") <= 2


async def test_one_who_stopped_listening_is_not_called(teams: Database) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    deaf: list[str] = []
    stop = await teams.listen("news", deaf.append)
    await teams.listen("news", heard.put_nowait)
    async with asyncio.timeout(15):
        await heard.get()
        stop()
        deaf.clear()
        teams.notify_soon("news", "x")
        assert await heard.get() == "x"
    assert deaf == []


async def test_a_closed_database_answers_that_it_is_closed(dsns: dict[str, str]) -> None:
    database = Database(dsns["teams"], service="teams")
    await database.open()
    await database.close()
    with pytest.raises(Unavailable):
        await database.ping()
