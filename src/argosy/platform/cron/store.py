"""The schedules and ticks of cron in PostgreSQL. `api` changes schedules, `scheduler` fires them.

An account of "" is the installation itself. It is no account id, so its rows are reached as machinery
(EVERY_ACCOUNT) and named in the WHERE clause.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

from argosy.backends.database import EVERY_ACCOUNT, Database, Keyset, Row, SortColumn, Transaction
from argosy.contracts.paging import PageRequest

LIST = Keyset(
    {
        "name": SortColumn("name"),
        "owner": SortColumn("owner"),
        "next_due": SortColumn("next_due", "timestamptz", nullable=True),
    },
    default="name",
)
_COLUMNS = """id, account, owner, name, expression, time_zone, payload, missed, enabled, passed, planned_until,
next_due, last_due, last_fired"""


class Stored(msgspec.Struct, frozen=True):
    """`time_zone` as it was asked for; empty is the account's."""

    id: str
    account: str
    owner: str
    name: str
    expression: str
    time_zone: str
    payload: str
    missed: Literal["skip", "one", "all"]
    enabled: bool
    passed: int
    planned_until: datetime
    next_due: datetime | None
    last_due: datetime | None = None
    last_fired: datetime | None = None


def scope(account: str) -> str:
    return account or EVERY_ACCOUNT


def _stored(row: Row) -> Stored:
    return Stored(**dict(row))


class Store:
    def __init__(self, database: Database) -> None:
        self.database = database

    async def named(self, tx: Transaction, account: str, owner: str, name: str) -> Stored | None:
        """Locked, so that two instances of a service that put the same schedule agree."""
        row = await tx.fetchrow(
            f"SELECT {_COLUMNS} FROM schedules WHERE account = $1 AND owner = $2 AND name = $3 FOR UPDATE",
            account, owner, name,
        )  # fmt: skip
        return None if row is None else _stored(row)

    async def add(self, tx: Transaction, schedule: Stored) -> bool:
        """False if another instance was faster."""
        marks = ", ".join(f"${number}" for number in range(1, 15))
        return bool(
            await tx.execute(
                f"INSERT INTO schedules ({_COLUMNS}) VALUES ({marks}) ON CONFLICT (account, owner, name) DO NOTHING",
                *msgspec.structs.astuple(schedule),
            )
        )

    async def replace(self, tx: Transaction, changed: Stored) -> None:
        await tx.execute(
            """UPDATE schedules SET expression = $2, time_zone = $3, payload = $4, missed = $5, enabled = $6,
            passed = $7, planned_until = greatest(planned_until, $8), next_due = $9, last_due = $10, last_fired = $11
            WHERE id = $1""",
            changed.id, changed.expression, changed.time_zone, changed.payload, changed.missed, changed.enabled,
            changed.passed, changed.planned_until, changed.next_due, changed.last_due, changed.last_fired,
        )  # fmt: skip

    async def remove(self, tx: Transaction, account: str, owner: str, id: str) -> Stored | None:
        row = await tx.fetchrow(
            f"DELETE FROM schedules WHERE account = $1 AND owner = $2 AND id = $3 RETURNING {_COLUMNS}",
            account, owner, id,
        )  # fmt: skip
        return None if row is None else _stored(row)

    async def page(self, account: str, installation: bool, request: PageRequest) -> tuple[list[Stored], str]:
        """With `installation` also those of no account."""
        plan = LIST.plan(sort=request.sort, after=request.after, limit=request.limit, first_parameter=3)
        accounts = [account, ""] if installation else [account]
        async with self.database.transaction(
            EVERY_ACCOUNT if installation else account, read_only=True
        ) as tx:
            rows = await tx.fetch(
                f"""SELECT {_COLUMNS} FROM schedules
                WHERE account = ANY($1) AND ($2 = '' OR strpos(lower(name), lower($2)) > 0) AND {plan.condition}
                ORDER BY {plan.order} LIMIT {plan.limit}""",
                accounts, request.search, *plan.parameters,
            )  # fmt: skip
        return plan.page(rows, _stored)

    async def due(self, tx: Transaction, now: datetime, limit: int) -> Sequence[Stored]:
        """Locked; those that another instance is firing at this moment are passed over."""
        rows = await tx.fetch(
            f"""SELECT {_COLUMNS} FROM schedules WHERE enabled AND next_due <= $1
            ORDER BY next_due LIMIT $2 FOR UPDATE SKIP LOCKED""",
            now, limit,
        )  # fmt: skip
        return [_stored(row) for row in rows]

    async def next_due(self) -> datetime | None:
        async with self.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            found: datetime | None = await tx.fetchval("SELECT min(next_due) FROM schedules WHERE enabled")
            return found

    async def furthest(self) -> datetime | None:
        """The latest instant that any schedule has been planned up to: never in the future, if the clock is right."""
        async with self.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            found: datetime | None = await tx.fetchval(
                "SELECT max(planned_until) FROM schedules WHERE enabled"
            )
            return found

    async def fired(
        self, tx: Transaction, schedule: Stored, dues: Sequence[datetime], now: datetime
    ) -> set[datetime]:
        """Writes the ticks down, and answers those that had not been there."""
        rows = await tx.fetch(
            """INSERT INTO ticks (schedule, due, account, fired)
            SELECT $1, due, $3, $4 FROM unnest($2::timestamptz[]) AS due ON CONFLICT DO NOTHING RETURNING due""",
            schedule.id, list(dues), schedule.account, now,
        )  # fmt: skip
        return {row["due"] for row in rows}

    async def zone(self, tx: Transaction, account: str) -> str:
        """An account that identity has not told of yet lives in UTC, and so does the installation."""
        found = await tx.fetchval("SELECT time_zone FROM zones WHERE account = $1", account)
        return "UTC" if found is None else str(found)

    async def move(self, tx: Transaction, account: str, zone: str) -> Sequence[Stored]:
        """Sets an account's zone; answers its schedules that follow it, locked."""
        await tx.execute(
            """INSERT INTO zones (account, time_zone) VALUES ($1, $2)
            ON CONFLICT (account) DO UPDATE SET time_zone = $2""",
            account, zone,
        )  # fmt: skip
        rows = await tx.fetch(
            f"SELECT {_COLUMNS} FROM schedules WHERE account = $1 AND time_zone = '' FOR UPDATE", account
        )
        return [_stored(row) for row in rows]

    async def forget_ticks(self, before: datetime) -> int:
        async with self.database.transaction(EVERY_ACCOUNT) as tx:
            return await tx.execute(
                """DELETE FROM ticks WHERE (schedule, due) IN
                (SELECT schedule, due FROM ticks WHERE fired < $1 ORDER BY fired LIMIT 5000)""",
                before,
            )
