"""Reads the outboxes of one server in order without losing what commits late, and knows when there is news.

Order is the number a row took when it was written (`seq`). Writers that wait for each other's rows take numbers in
the order of their commits, so order per key is the order of what happened. (The order of xids is not: a transaction
has its xid before it waits.) But numbers become visible out of order, so a reader may pass a gap in them only when it
is decided that nothing will appear there: a mark `(top, xid)` is taken, and once `pg_snapshot_xmin` has reached that
xid, whoever held a number up to `top` has ended. `postgres` follows sources through this.
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
from argosy.backends.database.failures import DRIVER_ERRORS
from argosy.backends.events import metrics
from argosy.backends.events.consumer import Consumer
from argosy.backends.events.outbox import CHANNEL
from argosy.backends.events.progress import Position
from argosy.contracts.events import Event
from argosy.kit.errors import ArgosyError, Internal
from argosy.kit.log import get_logger

log = get_logger(__name__)

SWEEP_SECONDS = 5.0
WARN_SECONDS = 10.0
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_READ = """
WITH ground AS MATERIALIZED (
  SELECT decided, greatest($1::bigint, $2::bigint, CASE WHEN decided THEN $3::bigint END) AS seq
  FROM (SELECT coalesce(pg_snapshot_xmin(pg_current_snapshot()) >= $4::xid8, false) AS decided) AS mark),
page AS MATERIALIZED (
  SELECT first.*, first.seq <= ground.seq
    OR first.seq = ground.seq + row_number() OVER (PARTITION BY first.seq > ground.seq ORDER BY first.seq) AS safe
  FROM ground, (SELECT * FROM "{schema}".outbox WHERE seq > $1 ORDER BY seq LIMIT $5) AS first),
facts AS (
  SELECT max(seq) FILTER (WHERE safe) AS last, count(*) FILTER (WHERE safe) AS seen,
    coalesce(bool_or(NOT safe), false) AS hidden FROM page)
SELECT state.epoch, state.pruned_seq, ground.decided, facts.*, (SELECT max(seq) FROM "{schema}".outbox) AS top,
  page.seq, page.id, page.type, page.account, page.key, page.time, page.body
FROM "{schema}".outbox_state AS state CROSS JOIN ground CROSS JOIN facts
LEFT JOIN page ON page.safe AND (page.type = ANY($6)
  OR EXISTS (SELECT FROM unnest($7::text[]) AS prefix WHERE starts_with(page.type, prefix)))
ORDER BY page.seq
"""
_HEAD = 'SELECT max(seq) FROM "{schema}".outbox'
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
    """`end` is how far was read, wanted or not. `hidden`: there are more, behind a number that is not decided."""

    epoch: str
    pruned: int
    events: list[Delivered]
    end: Position
    full: bool
    hidden: bool


@dataclass(slots=True)
class Follower:
    """One consumer at one source: `news` is set when there may be something for it."""

    consumer: Consumer
    news: asyncio.Event


@dataclass(slots=True)
class Numbers:
    """What is known of one outbox: up to `decided` no number is open; up to `top` none is once xmin reaches `xid`."""

    epoch: str = ""
    decided: int = 0
    top: int | None = None
    xid: int | None = None


class Server:
    """One PostgreSQL database and the schemas of those producers that live in it: one listener, one small pool."""

    def __init__(self, dsn: str, schemas: Sequence[str]) -> None:
        if bad := [name for name in schemas if _SCHEMA.fullmatch(name) is None]:
            raise Internal(f"{bad[0]!r} cannot be a producer's schema", code="events.source")
        self.name = schemas[0]
        self._schemas = tuple(schemas)
        self._database = Database(dsn, service="events", pool_size=3)
        self._followers: dict[str, list[Follower]] = {schema: [] for schema in schemas}
        self._heads: dict[str, int] = {}
        self._numbers: dict[str, Numbers] = {schema: Numbers() for schema in schemas}
        self._starting = asyncio.Lock()
        self._users = 0
        self._sweeping: asyncio.Task[None] | None = None
        self._deafen: Callable[[], None] = lambda: None
        self._oldest, self._since = 0, time.monotonic()

    async def start(self) -> None:
        """Each start needs a stop: the last one closes."""
        async with self._starting:
            self._users += 1
            if self._sweeping is None:
                await self._database.open()
                self._deafen = await self._database.listen(CHANNEL, self._heard)
                self._sweeping = asyncio.create_task(self._sweep())

    async def stop(self) -> None:
        async with self._starting:
            self._users -= 1
            if self._users == 0 and self._sweeping is not None:
                self._sweeping.cancel()
                await asyncio.wait([self._sweeping])
                self._sweeping = None
                self._deafen()
                await self._database.close()

    def follow(self, schema: str, follower: Follower) -> Callable[[], None]:
        self._followers[schema].append(follower)
        return lambda: self._followers[schema].remove(follower)

    async def read(self, schema: str, after: Position, consumer: Consumer) -> Page | None:
        """What comes after `after`, in order; None where the producer has made no outbox yet."""
        numbers = self._numbers[schema]
        top, xid = numbers.top, numbers.xid
        try:
            async with self._database.autocommit() as statements:
                rows = await statements.fetch(
                    _READ.format(schema=schema),
                    after.seq, numbers.decided, top, xid, consumer.batch, consumer.exact, consumer.prefixes,
                )  # fmt: skip
                if rows and _learn(numbers, rows[0], xid):
                    mark = await statements.fetchval("SELECT pg_current_xact_id()")
                    numbers.top, numbers.xid = rows[0]["top"], mark
        except (asyncpg.UndefinedTableError, asyncpg.InsufficientPrivilegeError) as error:
            log.debug("events.no_outbox_yet", source=schema, reason=str(error))
            return None
        if not rows:
            return None
        if rows[0]["epoch"] != numbers.epoch:  # what was known of its numbers holds no longer
            self._numbers[schema] = Numbers(rows[0]["epoch"])
            return await self.read(schema, after, consumer)
        return _page(rows, after, consumer.batch)

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
            except (
                ArgosyError,
                *DRIVER_ERRORS,
            ) as error:  # whatever it was: without sweeps, events would wait for ever
                log.info("events.sweep_failed", server=self.name, reason=str(error))

    async def _look(self, statements: Statements, schema: str) -> None:
        try:
            head = await statements.fetchval(_HEAD.format(schema=schema)) or 0
        except (asyncpg.UndefinedTableError, asyncpg.InsufficientPrivilegeError):
            return
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
        if held >= WARN_SECONDS:
            log.warning(
                "events.held_back_by_open_transaction",
                server=self.name, seconds=round(held), pid=row["pid"], xid=row["oldest"],
            )  # fmt: skip


def _learn(numbers: Numbers, row: Row, xid: int | None) -> bool:
    """Takes note of what the row tells about the mark it was read with. True where a gap needs a new mark."""
    if row["epoch"] != numbers.epoch:
        return False
    if row["decided"] and numbers.xid == xid and numbers.top is not None:
        numbers.decided = max(numbers.decided, numbers.top)
        numbers.top = numbers.xid = None
    return bool(row["hidden"]) and numbers.xid is None


def _page(rows: Sequence[Row], after: Position, limit: int) -> Page:
    facts = rows[0]
    epoch = facts["epoch"]
    events = [
        Delivered(
            Event(
                row["id"], row["type"], row["account"], row["key"], row["time"],
                msgspec.Raw(row["body"].encode()),
            ),
            Position(epoch, row["seq"]),
        )
        for row in rows
        if row["id"] is not None
    ]  # fmt: skip
    end = after if facts["last"] is None else Position(epoch, facts["last"])
    return Page(epoch, facts["pruned_seq"], events, end, facts["seen"] >= limit, facts["hidden"])
