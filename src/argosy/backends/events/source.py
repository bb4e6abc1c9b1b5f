"""Reads the outboxes of one server in commit order, and knows when there is something new.

Order is `(xid, seq)`, and only rows below `pg_snapshot_xmin` are read: a transaction that is still open could yet
commit with a lower number, and a reader that had gone past would never see it. `postgres` follows sources through this.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import asyncpg
import msgspec

from argosy.backends.database import Database, Row, Statements
from argosy.backends.events import metrics
from argosy.backends.events.consumer import Consumer
from argosy.backends.events.outbox import CHANNEL
from argosy.backends.events.progress import Position
from argosy.contracts.events import Event
from argosy.kit.errors import ArgosyError, Internal
from argosy.kit.log import get_logger

log = get_logger(__name__)

SWEEP_SECONDS = 5.0
_WARN_SECONDS = 10.0
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_READ = """
WITH page AS MATERIALIZED (
  SELECT xid, seq, id, type, account, key, time, body,
    (type = ANY($4) OR EXISTS (SELECT FROM unnest($5::text[]) AS prefix WHERE starts_with(type, prefix))) AS wanted
  FROM "{schema}".outbox
  WHERE (xid, seq) > ($1::xid8, $2::bigint) AND xid < pg_snapshot_xmin(pg_current_snapshot())
  ORDER BY xid, seq LIMIT $3),
last AS (SELECT xid, seq FROM page ORDER BY xid DESC, seq DESC LIMIT 1)
SELECT state.epoch, state.pruned_xid, state.pruned_seq, last.xid AS last_xid, last.seq AS last_seq,
  (SELECT count(*) FROM page) AS seen,
  EXISTS (SELECT FROM "{schema}".outbox WHERE xid >= pg_snapshot_xmin(pg_current_snapshot())) AS hidden,
  page.xid, page.seq, page.id, page.type, page.account, page.key, page.time, page.body
FROM "{schema}".outbox_state AS state LEFT JOIN last ON true LEFT JOIN page ON page.wanted
ORDER BY page.xid, page.seq
"""
_HEAD = 'SELECT xid, seq FROM "{schema}".outbox ORDER BY xid DESC, seq DESC LIMIT 1'
_HORIZON = """
SELECT pg_snapshot_xmin(now) AS oldest, pg_snapshot_xmax(now) AS next,
  (SELECT min(pid) FROM pg_locks
   WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted
     AND transactionid = (pg_snapshot_xmin(now)::text::numeric % 4294967296)::text::xid) AS pid
FROM pg_current_snapshot() AS now
"""


@dataclass(frozen=True, slots=True)
class Delivered:
    event: Event
    position: Position


@dataclass(frozen=True, slots=True)
class Page:
    """`end` is how far was read, wanted or not. `hidden`: there are more, behind a transaction that is still open."""

    epoch: str
    pruned: Position
    events: list[Delivered]
    end: Position
    full: bool
    hidden: bool


@dataclass(slots=True)
class Follower:
    """One consumer at one source: `news` is set when there may be something for it."""

    consumer: Consumer
    news: asyncio.Event


class Server:
    """One PostgreSQL database and the schemas of those producers that live in it: one listener, one small pool."""

    def __init__(self, dsn: str, schemas: Sequence[str]) -> None:
        if bad := [name for name in schemas if _SCHEMA.fullmatch(name) is None]:
            raise Internal(f"{bad[0]!r} cannot be a producer's schema", code="events.source")
        self.name = schemas[0]
        self._schemas = tuple(schemas)
        self._database = Database(dsn, service="events", pool_size=3)
        self._followers: dict[str, list[Follower]] = {schema: [] for schema in schemas}
        self._heads: dict[str, tuple[int, int]] = {}
        self._sweeping: asyncio.Task[None] | None = None
        self._oldest, self._since = 0, time.monotonic()

    async def start(self) -> None:
        if self._sweeping is None:
            self._sweeping = asyncio.create_task(self._sweep())
            await self._database.open()
            await self._database.listen(CHANNEL, self._heard)

    async def close(self) -> None:
        if self._sweeping is not None:
            sweeping, self._sweeping = self._sweeping, None
            sweeping.cancel()
            await asyncio.wait([sweeping])
            await self._database.close()

    def follow(self, schema: str, follower: Follower) -> Callable[[], None]:
        self._followers[schema].append(follower)
        return lambda: self._followers[schema].remove(follower)

    async def read(self, schema: str, after: Position, consumer: Consumer) -> Page | None:
        """What comes after `after`, in order; None where the producer has made no outbox yet."""
        try:
            async with self._database.autocommit() as statements:
                rows = await statements.fetch(
                    _READ.format(schema=schema),
                    after.xid, after.seq, consumer.batch, consumer.exact, consumer.prefixes,
                )  # fmt: skip
        except (asyncpg.UndefinedTableError, asyncpg.InsufficientPrivilegeError) as error:
            log.debug("events.no_outbox_yet", source=schema, reason=str(error))
            return None
        return _page(rows, after, consumer.batch) if rows else None

    def _heard(self, payload: str) -> None:
        """`schema type,type`; "" after a connection, when anything may have been missed."""
        schema, _, types = payload.partition(" ")
        for follower in self._followers.get(schema, ()):
            if types == "*" or follower.consumer.wants(types.split(",")):
                follower.news.set()
        if not schema:
            self._wake_all()

    def _wake_all(self) -> None:
        for followers in self._followers.values():
            for follower in followers:
                follower.news.set()

    async def _sweep(self) -> None:
        """For what no notification told: the producer died between COMMIT and NOTIFY, or the listener was away."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                async with self._database.autocommit() as statements:
                    await self._watch_horizon(statements)
                    for schema in self._schemas:
                        await self._look(statements, schema)
            except ArgosyError as error:
                log.info("events.sweep_failed", server=self.name, reason=error.message)

    async def _look(self, statements: Statements, schema: str) -> None:
        try:
            row = await statements.fetchrow(_HEAD.format(schema=schema))
        except (asyncpg.UndefinedTableError, asyncpg.InsufficientPrivilegeError):
            return
        head = (row["xid"], row["seq"]) if row else (0, 0)
        if head != self._heads.get(schema):
            self._heads[schema] = head
            for follower in self._followers[schema]:
                follower.news.set()

    async def _watch_horizon(self, statements: Statements) -> None:
        """One transaction that stays open holds back every event of the server: say which, before people ask why."""
        row = await statements.fetchrow(_HORIZON)
        assert row is not None
        if row["oldest"] != self._oldest or row["oldest"] == row["next"]:
            self._oldest, self._since = row["oldest"], time.monotonic()
        held = time.monotonic() - self._since
        metrics.oldest_transaction.labels(self.name).set(held)
        if held >= _WARN_SECONDS:
            log.warning(
                "events.held_back_by_open_transaction",
                server=self.name, seconds=round(held), pid=row["pid"], xid=row["oldest"],
            )  # fmt: skip


def _page(rows: Sequence[Row], after: Position, limit: int) -> Page:
    first = rows[0]
    epoch = first["epoch"]
    events = [
        Delivered(
            Event(
                row["id"], row["type"], row["account"], row["key"], row["time"],
                msgspec.Raw(row["body"].encode()),
            ),
            Position(epoch, row["xid"], row["seq"]),
        )
        for row in rows
        if row["id"] is not None
    ]  # fmt: skip
    end = after if first["last_xid"] is None else Position(epoch, first["last_xid"], first["last_seq"])
    pruned = Position(epoch, first["pruned_xid"], first["pruned_seq"])
    return Page(epoch, pruned, events, end, first["seen"] >= limit, first["hidden"])
