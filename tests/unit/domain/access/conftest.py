"""A real PostgreSQL for the differential test, one per test process, without the product's roles and schemas."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import asyncpg
import pytest

from tests.postgres import TestPostgres


class Database:
    """One connection, used from plain tests, because Hypothesis calls its body many times."""

    def __init__(self, dsn: str) -> None:
        self._runner = asyncio.Runner()
        self._link = self._runner.run(asyncpg.connect(dsn, timeout=20))

    def execute(self, statement: str) -> None:
        self._runner.run(self._link.execute(statement))

    def insert(self, table: str, rows: Sequence[tuple[object, ...]]) -> None:
        places = ", ".join(f"${number}" for number in range(1, len(rows[0]) + 1))
        self._runner.run(self._link.executemany(f"INSERT INTO {table} VALUES ({places})", rows))

    def ids(self, statement: str, parameters: Sequence[object]) -> set[str]:
        return {row[0] for row in self._runner.run(self._link.fetch(statement, *parameters))}

    def close(self) -> None:
        self._runner.run(self._link.close())
        self._runner.close()


@pytest.fixture(scope="session")
def database() -> Iterator[Database]:
    with TestPostgres() as server:
        opened = Database(server.dsn(database=server.create_database()))
        yield opened
        opened.close()
