"""The sealed entries, their chains and the accounts' settings in PostgreSQL. `sealer` appends, `api` reads.

An account of "" is the installation itself: what belongs to no account. It is no account id, so its rows are
reached as machinery (EVERY_ACCOUNT) and named in every WHERE clause, like any account's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from argosy.backends.database import EVERY_ACCOUNT, Database, Keyset, Row, SortColumn, Transaction
from argosy.contracts.audit import Actor, AuditQuery, AuditSettings, Entry, ExportQuery, Kind, Recorded
from argosy.domain.chain import GENESIS, Head, Link
from argosy.platform.audit.canonical import canonical
from argosy.platform.audit.signing import Statement
from argosy.platform.audit.words import prefix_query, words_of

_WINDOW = 1_000
_CANDIDATES = 4_000
_LIST = Keyset({"time": SortColumn("time", "timestamptz")}, default="-time")
_SHORT = """id, account, kind, number, hash, time, actor_kind, actor_id, actor_name, actor_credential, remote,
user_agent, service, operation, resource, resource_id, resource_name, result, error, request_id"""
_WHOLE = f"{_SHORT}, before, after, previous"
_SINCE_UNTIL = {"since": "time >= ", "until": "time < "}
_EQUAL = {"resource": "resource", "resource_id": "resource_id", "actor": "actor_id", "operation": "operation"}


class Chain(msgspec.Struct, frozen=True):
    """`anchored`: how far a head has been signed outside. `checkpoint`: what stands before the oldest entry."""

    account: str
    kind: Kind
    number: int
    hash: bytes
    sealed: datetime
    anchored: int
    checkpoint: Statement | None

    @property
    def head(self) -> Head:
        return Head(self.number, self.hash)

    @property
    def start(self) -> Head:
        return GENESIS if self.checkpoint is None else self.checkpoint.head


def scope(account: str) -> str:
    return account or EVERY_ACCOUNT


def _chain(row: Row) -> Chain:
    checkpoint = row["checkpoint"]
    return Chain(
        row["account"], row["kind"], row["number"], row["hash"], row["sealed"], row["anchored"],
        None if checkpoint is None else msgspec.json.decode(checkpoint, type=Statement),
    )  # fmt: skip


def _entry(row: Row) -> Entry:
    before, after = row.get("before"), row.get("after")
    return Entry(
        id=row["id"], time=row["time"], account=row["account"], kind=row["kind"],
        actor=Actor(row["actor_kind"], row["actor_id"], row["actor_name"], row["actor_credential"]),
        remote=row["remote"], user_agent=row["user_agent"], service=row["service"], operation=row["operation"],
        resource=row["resource"], resource_id=row["resource_id"], resource_name=row["resource_name"],
        result=row["result"], error=row["error"], request_id=row["request_id"],
        before=msgspec.Raw(b"null" if before is None else before.encode()),
        after=msgspec.Raw(b"null" if after is None else after.encode()),
        number=row["number"], hash=row["hash"].hex(),
    )  # fmt: skip


def link_of(row: Row) -> tuple[Entry, Link]:
    """The entry as anybody is shown it, and the chain's link over exactly that."""
    entry = _entry(row)
    return entry, Link(entry.number, row["previous"], row["hash"], canonical(entry))


class Store:
    def __init__(self, database: Database) -> None:
        self.database = database

    # sealing

    async def known(self, tx: Transaction, records: Sequence[Recorded]) -> set[tuple[str, str]]:
        rows = await tx.fetch(
            "SELECT account, id FROM entries WHERE account = ANY($1) AND id = ANY($2)",
            sorted({record.account for record in records}), [record.id for record in records],
        )  # fmt: skip
        return {(row["account"], row["id"]) for row in rows}

    async def hold(self, tx: Transaction, keys: Iterable[tuple[str, Kind]]) -> list[Chain]:
        """The chains, locked in one order for all, and begun where there was none."""
        accounts, kinds = zip(*sorted(keys), strict=True)
        await tx.execute(
            """INSERT INTO chains (account, kind) SELECT * FROM unnest($1::text[], $2::text[])
            ON CONFLICT DO NOTHING""",
            accounts, kinds,
        )  # fmt: skip
        rows = await tx.fetch(
            """SELECT * FROM chains WHERE (account, kind) IN (SELECT * FROM unnest($1::text[], $2::text[]))
            ORDER BY account, kind FOR UPDATE""",
            accounts, kinds,
        )  # fmt: skip
        return [_chain(row) for row in rows]

    async def append(self, tx: Transaction, sealed: Sequence[tuple[Recorded, Link]], now: datetime) -> None:
        columns = list(zip(*(_columns(record, link) for record, link in sealed), strict=True))
        await tx.execute(
            """INSERT INTO entries (account, kind, number, previous, hash, id, time, actor_kind, actor_id, actor_name,
            actor_credential, remote, user_agent, service, operation, resource, resource_id, resource_name, result,
            error, request_id, before, after)
            SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bytea[], $6::text[],
            $7::timestamptz[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
            $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
            $22::text[], $23::text[])""",
            *columns,
        )
        await tx.execute(
            """INSERT INTO entry_words SELECT account, id, array_to_tsvector(string_to_array(words, ' '))
            FROM unnest($1::text[], $2::text[], $3::text[]) AS given (account, id, words)""",
            columns[0], columns[5],
            [" ".join(words_of(record)) for record, _ in sealed],
        )  # fmt: skip
        heads = {(record.account, record.kind): link for record, link in sealed}
        await tx.executemany(
            "UPDATE chains SET number = $3, hash = $4, sealed = $5 WHERE account = $1 AND kind = $2",
            [(account, kind, link.number, link.hash, now) for (account, kind), link in heads.items()],
        )

    # reading

    async def page(self, account: str, query: AuditQuery) -> tuple[list[Entry], str]:
        """Newest first. A search first looks at the newest entries, then asks the index, and only then reads on."""
        plan = _LIST.plan(sort="", after=query.after, limit=query.limit, first_parameter=2)
        where, values = _where(query, first=2 + len(plan.parameters))
        where = f"account = $1 AND {plan.condition}{where}"
        values = [account, *plan.parameters, *values]
        order = f"ORDER BY {plan.order}"
        async with self.database.transaction(scope(account), read_only=True) as tx:
            if words := prefix_query(account, query.search):
                rows = await self._search(tx, where, values, f"{order} LIMIT", plan.limit, words)
            else:
                rows = await tx.fetch(
                    f"SELECT {_SHORT} FROM entries WHERE {where} {order} LIMIT {plan.limit}", *values
                )
        return plan.page(rows, _entry)

    async def _search(
        self, tx: Transaction, where: str, values: list[object], order: str, limit: int, words: str
    ) -> Sequence[Row]:
        matching = f"""CROSS JOIN LATERAL (SELECT words FROM entry_words AS its WHERE its.account = entries.account
            AND its.id = entries.id OFFSET 0) AS its_words WHERE words @@ ${len(values) + 1}::text::tsquery"""
        rows = await tx.fetch(
            f"""SELECT {_SHORT} FROM (SELECT {_SHORT} FROM entries WHERE {where} {order} {_WINDOW}) AS entries
            {matching} {order} {limit}""",
            *values, words,
        )  # fmt: skip
        if len(rows) == limit:
            return rows
        found = await tx.fetch(
            "SELECT entries_with($1, $2::text::tsquery, $3) AS id", values[0], words, _CANDIDATES
        )
        if len(found) < _CANDIDATES:
            ids = [row["id"] for row in found]
            return await tx.fetch(
                f"SELECT {_SHORT} FROM entries WHERE {where} AND id = ANY(${len(values) + 1}) {order} {limit}",
                *values, ids,
            )  # fmt: skip
        return await tx.fetch(
            f"SELECT {_SHORT} FROM entries {matching} AND {where} {order} {limit}", *values, words
        )

    async def entry(self, account: str, id: str) -> Entry | None:
        async with self.database.transaction(scope(account), read_only=True) as tx:
            row = await tx.fetchrow(
                f"SELECT {_WHOLE} FROM entries WHERE account = $1 AND id = $2", account, id
            )
        return None if row is None else _entry(row)

    async def matching(
        self, account: str, query: ExportQuery, after: tuple[datetime, str], limit: int
    ) -> list[Entry]:
        """Oldest first, after (time, id): one step of an export."""
        where, values = _where(query, first=5)
        words = prefix_query(account, query.search)
        joined = "JOIN entry_words USING (account, id)" if words else ""
        found = "words @@ $4::text::tsquery" if words else "$4 = ''"
        async with self.database.transaction(scope(account), read_only=True) as tx:
            rows = await tx.fetch(
                f"""SELECT {_WHOLE} FROM entries {joined}
                WHERE account = $1 AND (time, id) > ($2, $3) AND {found}{where} ORDER BY time, id LIMIT {limit}""",
                account, *after, words, *values,
            )  # fmt: skip
        return [_entry(row) for row in rows]

    async def links(
        self, account: str, kind: Kind, after: int, until: int, limit: int
    ) -> list[tuple[Entry, Link]]:
        async with self.database.transaction(scope(account), read_only=True) as tx:
            rows = await tx.fetch(
                f"""SELECT {_WHOLE} FROM entries WHERE account = $1 AND kind = $2 AND number > $3 AND number <= $4
                ORDER BY number LIMIT $5""",
                account, kind, after, until, limit,
            )  # fmt: skip
        return [link_of(row) for row in rows]

    async def outside(self, account: str, kind: Kind) -> int | None:
        """An entry before the chain's checkpoint or beyond its head, which nothing of ours ever writes."""
        async with self.database.transaction(scope(account), read_only=True) as tx:
            found: int | None = await tx.fetchval(
                """SELECT min(number) FROM entries WHERE account = $1 AND kind = $2 AND
                (number <= coalesce((SELECT (checkpoint->>'number')::bigint FROM chains
                                     WHERE account = $1 AND kind = $2), 0)
                 OR number > coalesce((SELECT number FROM chains WHERE account = $1 AND kind = $2), 0))""",
                account, kind,
            )  # fmt: skip
        return found

    # chains

    async def chain(self, account: str, kind: Kind) -> Chain | None:
        async with self.database.transaction(scope(account), read_only=True) as tx:
            row = await tx.fetchrow("SELECT * FROM chains WHERE account = $1 AND kind = $2", account, kind)
        return None if row is None else _chain(row)

    async def chains(self, *, not_anchored: bool = False) -> list[Chain]:
        async with self.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            only = "WHERE number > anchored" if not_anchored else ""
            return [
                _chain(row) for row in await tx.fetch(f"SELECT * FROM chains {only} ORDER BY account, kind")
            ]

    async def anchored(self, heads: Iterable[Statement]) -> None:
        async with self.database.transaction(EVERY_ACCOUNT) as tx:
            await tx.executemany(
                "UPDATE chains SET anchored = greatest(anchored, $3) WHERE account = $1 AND kind = $2",
                [(head.account, head.chain, head.number) for head in heads],
            )

    async def expired(self, tx: Transaction, chain: Chain, before: datetime, limit: int) -> list[Link]:
        """The chain's oldest entries, up to the first one that is to be kept."""
        rows = await tx.fetch(
            f"""SELECT {_WHOLE} FROM entries WHERE account = $1 AND kind = $2 AND number > $3
            ORDER BY number LIMIT $4""",
            chain.account, chain.kind, chain.start.number, limit,
        )  # fmt: skip
        expired: list[Link] = []
        for row in rows:
            if row["time"] >= before:
                break
            expired.append(link_of(row)[1])
        return expired

    async def prune(self, tx: Transaction, chain: Chain, checkpoint: Statement) -> None:
        await tx.execute(
            """WITH gone AS (DELETE FROM entries WHERE account = $1 AND kind = $2 AND number <= $3 RETURNING id)
            DELETE FROM entry_words WHERE account = $1 AND id IN (SELECT id FROM gone)""",
            chain.account, chain.kind, checkpoint.number,
        )  # fmt: skip
        await tx.execute(
            "UPDATE chains SET checkpoint = $3 WHERE account = $1 AND kind = $2",
            chain.account, chain.kind, msgspec.json.encode(checkpoint).decode(),
        )  # fmt: skip

    # settings

    async def settings(self, tx: Transaction, account: str) -> AuditSettings | None:
        row = await tx.fetchrow("SELECT * FROM settings WHERE account = $1", account)
        return None if row is None else AuditSettings(row["reads_kept_days"], row["changes_kept_days"])

    async def change_settings(self, tx: Transaction, account: str, settings: AuditSettings) -> None:
        await tx.execute(
            """INSERT INTO settings (account, reads_kept_days, changes_kept_days) VALUES ($1, $2, $3)
            ON CONFLICT (account) DO UPDATE SET reads_kept_days = $2, changes_kept_days = $3""",
            account, settings.reads_kept_days, settings.changes_kept_days,
        )  # fmt: skip


def _columns(record: Recorded, link: Link) -> tuple[object, ...]:
    who = record.actor
    return (
        record.account, record.kind, link.number, link.previous, link.hash, record.id, record.time, who.kind, who.id,
        who.name, who.credential, record.remote, record.user_agent, record.service, record.operation,
        record.resource, record.resource_id, record.resource_name, record.result, record.error, record.request_id,
        bytes(record.before).decode(), bytes(record.after).decode(),
    )  # fmt: skip


def _where(query: AuditQuery | ExportQuery, first: int) -> tuple[str, list[object]]:
    """What the filters ask. `kind` and `result` stand literally, so that the planner can use partial indexes."""
    parts: list[str] = []
    values: list[object] = []
    if query.kind:
        parts.append(f"kind = '{query.kind}'")
    if query.result:
        parts.append(f"result = '{query.result}'")
    for name, column in _EQUAL.items():
        if value := getattr(query, name):
            parts.append(f"{column} = ${first + len(values)}")
            values.append(value)
    for name, comparison in _SINCE_UNTIL.items():
        if (moment := getattr(query, name)) is not None:
            parts.append(f"{comparison}${first + len(values)}")
            values.append(moment)
    return "".join(f" AND {part}" for part in parts), values
