"""The repositories in PostgreSQL: what is known of each, where its refs were when last announced, and what pushes are about to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from argosy.backends.database import EVERY_ACCOUNT, Database, Keyset, Row, SortColumn, Transaction, to_json
from argosy.contracts.git_server import Protection
from argosy.contracts.paging import PageRequest
from argosy.domain.access import Column, ColumnMap, Predicate, to_sql
from argosy.kit.calls import Call
from argosy.platform.git_server.protection import Update

LIST = Keyset(
    {
        "name": SortColumn("name"),
        "created": SortColumn("created", "timestamptz"),
        "pushed": SortColumn("pushed", "timestamptz", nullable=True),
    },
    default="name",
)
_RULED = ColumnMap(attributes={"REPOSITORY_NAME": Column("name")})
_COLUMNS = """id, account, name, description, default_branch, protections, push_limit_mb, size_limit_mb, size, unpacked,
created, pushed"""


class Stored(msgspec.Struct, frozen=True):
    id: str
    account: str
    name: str
    description: str
    default_branch: str
    protections: list[Protection]
    push_limit_mb: int | None
    size_limit_mb: int | None
    created: datetime
    size: int = 0
    unpacked: int = 0
    pushed: datetime | None = None


class Intent(msgspec.Struct, frozen=True):
    """One ref of one push, and the call that it came with."""

    push: str
    update: Update
    call: Call


def _stored(row: Row) -> Stored:
    values = dict(row)
    values["protections"] = msgspec.json.decode(values["protections"], type=list[Protection])
    return Stored(**values)


class Store:
    def __init__(self, database: Database) -> None:
        self.database = database

    async def of_id(self, tx: Transaction, account: str, id: str, *, locked: bool = False) -> Stored | None:
        lock = " FOR UPDATE" if locked else ""
        row = await tx.fetchrow(
            f"SELECT {_COLUMNS} FROM repositories WHERE account = $1 AND id = $2{lock}", account, id
        )
        return None if row is None else _stored(row)

    async def named(self, tx: Transaction, account: str, name: str) -> Stored | None:
        row = await tx.fetchrow(
            f"SELECT {_COLUMNS} FROM repositories WHERE account = $1 AND lower(name) = lower($2)",
            account,
            name,
        )
        return None if row is None else _stored(row)

    async def page(
        self, tx: Transaction, account: str, visible: Predicate, request: PageRequest
    ) -> tuple[list[Stored], str]:
        condition, values = to_sql(visible, _RULED, 3)
        plan = LIST.plan(
            sort=request.sort, after=request.after, limit=request.limit, first_parameter=3 + len(values)
        )
        rows = await tx.fetch(
            f"""SELECT {_COLUMNS} FROM repositories
            WHERE account = $1 AND ($2 = '' OR strpos(lower(name), lower($2)) > 0) AND {condition} AND {plan.condition}
            ORDER BY {plan.order} LIMIT {plan.limit}""",
            account, request.search, *values, *plan.parameters,
        )  # fmt: skip
        return plan.page(rows, _stored)

    async def everywhere(self) -> list[Stored]:
        """For the look at what a crash left; those with something unannounced first."""
        async with self.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            rows = await tx.fetch(
                f"""SELECT {_COLUMNS} FROM repositories
                ORDER BY EXISTS (SELECT 1 FROM intents WHERE repository = repositories.id) DESC, id"""
            )
        return [_stored(row) for row in rows]

    async def add(self, tx: Transaction, new: Stored) -> bool:
        """False if the name is taken."""
        return bool(
            await tx.execute(
                """INSERT INTO repositories (id, account, name, description, default_branch, protections, push_limit_mb,
                size_limit_mb, created) VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9)
                ON CONFLICT (account, lower(name)) DO NOTHING""",
                new.id, new.account, new.name, new.description, new.default_branch, to_json(new.protections),
                new.push_limit_mb, new.size_limit_mb, new.created,
            )
        )  # fmt: skip

    async def change(self, tx: Transaction, changed: Stored) -> None:
        await tx.execute(
            """UPDATE repositories SET name = $3, description = $4, default_branch = $5, protections = $6::jsonb,
            push_limit_mb = $7, size_limit_mb = $8 WHERE account = $1 AND id = $2""",
            changed.account, changed.id, changed.name, changed.description, changed.default_branch,
            to_json(changed.protections), changed.push_limit_mb, changed.size_limit_mb,
        )  # fmt: skip

    async def remove(self, tx: Transaction, account: str, id: str) -> None:
        await tx.execute("DELETE FROM repositories WHERE account = $1 AND id = $2", account, id)
        await tx.execute("INSERT INTO removals (repository, account) VALUES ($1, $2)", id, account)

    async def removals(self) -> list[tuple[str, str]]:
        async with self.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            return [(row["account"], row["repository"]) for row in await tx.fetch("SELECT * FROM removals")]

    async def removed(self, account: str, id: str) -> None:
        async with self.database.transaction(account) as tx:
            await tx.execute("DELETE FROM removals WHERE account = $1 AND repository = $2", account, id)

    async def taken(self, tx: Transaction, account: str) -> int:
        """Bytes of all repositories of an account."""
        total = await tx.fetchval(
            "SELECT coalesce(sum(size), 0) FROM repositories WHERE account = $1", account
        )
        return int(total)

    async def measured(self, account: str, id: str, size: int, *, packed: bool = False) -> None:
        async with self.database.transaction(account) as tx:
            await tx.execute(
                """UPDATE repositories SET size = $3, unpacked = CASE WHEN $4 THEN 0 ELSE unpacked END
                WHERE account = $1 AND id = $2""",
                account, id, size, packed,
            )  # fmt: skip

    async def moved(self, tx: Transaction, stored: Stored, updates: Sequence[Update], when: datetime) -> None:
        """From now on these refs are announced."""
        gone = [update.ref for update in updates if update.deletes]
        kept = [update for update in updates if not update.deletes]
        await tx.execute("DELETE FROM heads WHERE repository = $1 AND ref = ANY($2)", stored.id, gone)
        await tx.execute(
            """INSERT INTO heads (repository, account, ref, oid) SELECT $1, $2, * FROM unnest($3::text[], $4::text[])
            ON CONFLICT (repository, ref) DO UPDATE SET oid = excluded.oid""",
            stored.id, stored.account, [update.ref for update in kept], [update.after for update in kept],
        )  # fmt: skip
        await tx.execute(
            "UPDATE repositories SET pushed = $2, unpacked = unpacked + 1 WHERE id = $1", stored.id, when
        )

    async def heads(self, tx: Transaction, repository: str) -> Mapping[str, str]:
        rows = await tx.fetch("SELECT ref, oid FROM heads WHERE repository = $1", repository)
        return {row["ref"]: row["oid"] for row in rows}

    async def intend(self, account: str, repository: str, intents: Iterable[Intent], when: datetime) -> None:
        wanted = list(intents)
        async with self.database.transaction(account) as tx:
            await tx.execute(
                """INSERT INTO intents (push, repository, account, made, ref, before, after, call)
                SELECT $1, $2, $3, $4, ref, before, after, $8::jsonb
                FROM unnest($5::text[], $6::text[], $7::text[]) AS one (ref, before, after)""",
                wanted[0].push, repository, account, when, [one.update.ref for one in wanted],
                [one.update.before for one in wanted], [one.update.after for one in wanted], to_json(wanted[0].call),
            )  # fmt: skip

    async def intents(self, tx: Transaction, repository: str) -> list[Intent]:
        rows = await tx.fetch(
            "SELECT push, ref, before, after, call FROM intents WHERE repository = $1 ORDER BY made, ref",
            repository,
        )
        return [
            Intent(
                row["push"],
                Update(row["ref"], row["before"], row["after"]),
                msgspec.json.decode(row["call"], type=Call),
            )
            for row in rows
        ]

    async def settle(self, tx: Transaction, repository: str) -> None:
        await tx.execute("DELETE FROM intents WHERE repository = $1", repository)
