"""The server that other suites rely on: laid out like production's, killable, usable from anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import pytest

from argosy.host.postgres.roles import connected
from tests.postgres import TestPostgres


@pytest.fixture(scope="module")
def server() -> Iterator[TestPostgres]:
    with TestPostgres("max_connections=40") as running:
        yield running


async def test_a_database_is_laid_out_even_from_inside_a_running_loop(server: TestPostgres) -> None:
    dsns = server.new_database(["identity"])

    assert set(dsns) == {"identity", "events", "admin"}
    async with connected(dsns["identity"]) as identity:
        assert await identity.fetchval("SHOW max_connections") == "40"
        await identity.execute("CREATE TABLE things (id int)")
    server.drop_database(dsns["admin"])
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await asyncpg.connect(dsns["admin"])


def test_databases_can_be_made_at_the_same_time(server: TestPostgres) -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: server.new_database(["hub", "cron"])["admin"], range(4)))

    assert len(set(made)) == 4


@pytest.mark.parametrize("end", ["kill", "stop"])
async def test_committed_rows_survive_a_kill_and_a_stop(end: str) -> None:
    with TestPostgres() as server:
        dsn = server.new_database(["identity"])["identity"]
        async with connected(dsn) as identity:
            await identity.execute("CREATE TABLE things AS SELECT 7 AS id")

        getattr(server, end)()
        server.start()

        async with connected(dsn) as identity:
            assert await identity.fetchval("SELECT id FROM things") == 7


def test_nothing_is_left_behind() -> None:
    with TestPostgres() as server:
        home, pid = server.log.parent, server.pid

    assert not home.exists()
    assert not Path(f"/proc/{pid}").exists()
