"""A server and a database with two services for the session; tests make their own tables anew."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from argosy.backends.database import Database
from argosy.backends.database.migrations import migrate
from tests.postgres import TestPostgres


@pytest.fixture(scope="session")
def server() -> Iterator[TestPostgres]:
    with TestPostgres() as server:
        yield server


@pytest.fixture(scope="session")
def dsns(server: TestPostgres) -> dict[str, str]:
    return server.new_database(["teams", "billing"])


@pytest.fixture
async def teams(dsns: dict[str, str]) -> AsyncIterator[Database]:
    database = Database(dsns["teams"], service="teams", pool_size=4)
    await database.open()
    await migrate(database)
    yield database
    await database.close()
