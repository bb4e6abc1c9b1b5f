"""A transaction as callers see it, and the account it acts for: row-level security shows it no other account's rows.

`Database.transaction` makes one. The account is a setting of the transaction (`argosy.account`), sent in the same
round trip as BEGIN; policies (`migrations`) compare it with each row, so a forgotten WHERE finds nothing foreign.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any

import asyncpg
import msgspec

from argosy.backends.database.failures import DRIVER_ERRORS, translated
from argosy.kit.errors import Internal
from argosy.kit.ids import is_id
from argosy.kit.log import get_logger

log = get_logger(__name__)

EVERY_ACCOUNT = "*"
"""For machinery and schedules that serve all accounts; never for anything that answers a person."""

Row = Mapping[str, Any]  # an asyncpg Record


def to_json(value: object) -> str:
    """For a json or jsonb parameter."""
    return msgspec.json.encode(value).decode()


def begin(account: str, *, read_only: bool) -> str:
    if account != EVERY_ACCOUNT and not is_id(account):
        raise Internal(f"{account!r} is not an account id", code="database.account")
    mode = " READ ONLY" if read_only else ""
    return f"BEGIN{mode}; SET LOCAL argosy.account = '{account}'"


class Statements:
    """Statements on one connection. Parameters are `$1`, `$2`, …; values are never put into the text."""

    def __init__(self, link: asyncpg.Connection, service: str) -> None:
        self._link, self._service = link, service
        self.over = (
            False  # the connection was given back: what comes now would be somebody else's transaction
        )

    async def fetch(self, sql: str, *values: object) -> Sequence[Row]:
        with self._translating():
            rows: Sequence[Row] = await self._link.fetch(sql, *values)
            return rows

    async def fetchrow(self, sql: str, *values: object) -> Row | None:
        with self._translating():
            row: Row | None = await self._link.fetchrow(sql, *values)
            return row

    async def fetchval(self, sql: str, *values: object) -> Any:  # the column's own type
        with self._translating():
            return await self._link.fetchval(sql, *values)

    async def execute(self, sql: str, *values: object) -> int:
        """The number of rows that the statement touched, where it touches rows."""
        with self._translating():
            status: str = await self._link.execute(sql, *values)
        count = status.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0

    async def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        with self._translating():
            await self._link.executemany(sql, rows)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        if self.over:
            raise Internal("a statement after the end of its transaction", code="database.over")
        try:
            yield
        except DRIVER_ERRORS as error:
            if (better := translated(error, self._service)) is not None:
                raise better from error
            raise


class Transaction(Statements):
    def __init__(self, link: asyncpg.Connection, service: str) -> None:
        super().__init__(link, service)
        self._callbacks: list[Callable[[], None]] = []
        self._depth = 0

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Called once, after COMMIT was acknowledged; not at all if it was not. A hint, never a promise."""
        self._callbacks.append(callback)

    def committed(self) -> None:
        for callback in self._callbacks:
            try:
                callback()
            except (
                Exception
            ):  # the transaction is committed: a hint that fails must not look like a failure of it
                log.exception("database.after_commit_failed", service=self._service)

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """What fails within is undone alone, and the transaction goes on if the caller catches the error."""
        self._depth += 1
        name, kept = f"argosy_{self._depth}", len(self._callbacks)
        await self.execute(f"SAVEPOINT {name}")
        try:
            yield
            await self.execute(f"RELEASE SAVEPOINT {name}")
        except BaseException:
            del self._callbacks[kept:]
            await self.execute(f"ROLLBACK TO SAVEPOINT {name}; RELEASE SAVEPOINT {name}")
            raise
        finally:
            self._depth -= 1


class Open:
    """Told apart from the context variable that holds it, so that tasks that inherit it see it end."""

    __slots__ = ("still",)

    def __init__(self) -> None:
        self.still = True


current: ContextVar[Open | None] = ContextVar("database_transaction", default=None)


def in_transaction() -> bool:
    """Whether the caller is inside a transaction. The clients that `host` hands out refuse to ask another service then."""
    held = current.get()
    return held is not None and held.still
