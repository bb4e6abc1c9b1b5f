"""The audit log at a million rows: what a person waits for a page, and how fast entries are sealed.

Run by `make bench`. Target: list p95 ≤ 50 ms. The rows are made by PostgreSQL, for one large account beside others;
sealing is measured through the consumer's own handler, on a server that syncs to the disk as in production.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import msgspec

from argosy.backends.database import EVERY_ACCOUNT, Database
from argosy.backends.database.migrations import migrate
from argosy.backends.hosting.recording import recorded_event
from argosy.contracts.audit import Actor, AuditQuery, Recorded
from argosy.kit.clock import now
from argosy.kit.ids import new_id
from argosy.platform.audit.sealer import sealing
from argosy.platform.audit.store import Store
from tests.postgres import TestPostgres

ROWS = 1_000_000
ACCOUNT = "a" * 24
START = datetime(2026, 1, 1, tzinfo=UTC)
_LIST_TARGET = "p95 ≤ 50 ms"
_LIKE_PRODUCTION = (
    "fsync=on",
    "synchronous_commit=on",
    "full_page_writes=on",
    "shared_buffers=128MB",
    "autovacuum=on",
)

# Nine of ten rows are the large account's; one of twenty is a change, one of two hundred was refused.
_ENTRIES = """
INSERT INTO entries
SELECT CASE WHEN n % 10 = 0 THEN lpad(to_hex(n / 10 % 7), 24, 'b') ELSE $1 END,
  CASE WHEN n % 20 = 1 THEN 'change' ELSE 'read' END, n, sha256('a'), sha256('b'), lpad(to_hex(n), 24, '0'),
  $2::timestamptz + n * interval '9 seconds', 'user', 'user' || n * 7919 % 200,
  'Person ' || n * 7919 % 200 || ' Surname' || n * 7919 % 200, 'session:' || n % 5000, '192.0.2.' || n % 250,
  'Mozilla/5.0 (X11; Linux x86_64) Firefox', 'identity',
  (ARRAY['users', 'user', 'teams', 'create_team', 'api_keys', 'me', 'explain', 'access_rules'])[(n % 8 + 1)::int],
  (ARRAY['user', 'team', 'api-key', 'access-rule'])[(n % 4 + 1)::int], md5((n % 20000)::text),
  'thing-' || n % 20000, CASE WHEN n % 200 = 3 THEN 'denied' ELSE 'ok' END, '', md5(n::text), 'null',
  CASE WHEN n % 20 = 1 THEN '{"name": "thing", "members": 3}' ELSE 'null' END
FROM generate_series(1, $3::bigint) AS n
"""
_WORDS = """
INSERT INTO entry_words
SELECT account, id, array_to_tsvector(ARRAY(
  SELECT DISTINCT left(encode(sha256(convert_to(account, 'UTF8')), 'hex'), 8) || ':' || word FROM unnest(
    string_to_array(lower(translate(concat_ws(' ', actor_name, operation, resource, resource_name, resource_id),
    '_-', '  ')), ' ')) AS word WHERE word <> ''))
FROM entries
"""


def run() -> list[tuple[str, str, str]]:
    with TestPostgres(*_LIKE_PRODUCTION) as server:
        return asyncio.run(_measure(server))


async def _measure(server: TestPostgres) -> list[tuple[str, str, str]]:
    database = Database(server.new_database(services=["audit"])["audit"], service="audit")
    await database.open()
    try:
        await migrate(database, "argosy.platform.audit.migrations")
        sealed = await _sealing(database)
        await _fill(database)
        store = Store(database)
        rows = [await _listing(store, name, queries) for name, queries in (await _queries(store)).items()]
        return [*rows, sealed, ("audit: sealing beside 1 M rows", (await _sealing(database))[1], "")]
    finally:
        await database.close()


async def _fill(database: Database) -> None:
    link = await database.dedicated()
    try:
        await link.execute(f"SET argosy.account = '{EVERY_ACCOUNT}'")
        await link.execute("TRUNCATE entries, entry_words, chains")
        await link.execute(_ENTRIES, ACCOUNT, START, ROWS, timeout=900)
        await link.execute(_WORDS, timeout=900)
        await link.execute(
            "INSERT INTO chains (account, kind, number) SELECT account, kind, max(number) FROM entries GROUP BY 1, 2"
        )
        await link.execute("VACUUM ANALYZE entries", timeout=300)
        await link.execute("VACUUM ANALYZE entry_words", timeout=300)
    finally:
        await link.close()


async def _queries(store: Store) -> dict[str, Callable[[], AuditQuery]]:
    cursor = ""
    for _ in range(500):
        _, cursor = await store.page(ACCOUNT, AuditQuery(after=cursor, limit=50))
    middle = START + timedelta(days=40)
    return {
        "first page": AuditQuery,
        "page 500 by cursor": lambda: AuditQuery(after=cursor),
        "by actor": lambda: AuditQuery(actor=f"user{random.randrange(200)}"),
        "changes only": lambda: AuditQuery(kind="change"),
        "denied only": lambda: AuditQuery(result="denied"),
        "by operation and time": lambda: AuditQuery(operation="create_team", until=middle),
        "search, common word": lambda: AuditQuery(search="team"),
        "search, a person": lambda: AuditQuery(search=f"surname{random.randrange(200)}"),
        "search, rare prefix": lambda: AuditQuery(search=f"thing {random.randrange(1000, 20000)}"),
        "search, an id": lambda: AuditQuery(search=_resource_id(10 * random.randrange(2000) + 1)[:10]),
        "search, nothing found": lambda: AuditQuery(search="zeppelin"),
        "search and denied": lambda: AuditQuery(search="team", result="denied"),
    }


def _resource_id(n: int) -> str:
    """As `_ENTRIES` makes it: a name, not a secret."""
    return hashlib.md5(str(n).encode(), usedforsecurity=False).hexdigest()


async def _listing(store: Store, name: str, query: Callable[[], AuditQuery]) -> tuple[str, str, str]:
    async def once() -> int:
        return len((await store.page(ACCOUNT, query()))[0])

    found = max([await once() for _ in range(10)])
    if (found == 0) != ("nothing" in name):
        raise RuntimeError(f"{name} found {found} entries: this measures something else")
    took = sorted([await _timed(once) for _ in range(100)])
    told = f"p50 {statistics.median(took):.1f} ms, p95 {took[94]:.1f} ms"
    return f"audit list, 1 M rows: {name}", told, _LIST_TARGET


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await work()
    return (time.perf_counter() - started) * 1000


async def _sealing(database: Database) -> tuple[str, str, str]:
    consumer = sealing(Store(database), now, lambda _: None)
    batches = [[recorded_event(_record(n)) for n in range(200)] for _ in range(40)]
    started = time.perf_counter()
    for batch in batches:
        async with database.transaction(consumer.accounts) as tx:
            await consumer.handle(tx, batch)
    rate = 40 * 200 / (time.perf_counter() - started)
    return "audit: sealing", f"{rate:,.0f} entries/s", ""


def _record(n: int) -> Recorded:
    nothing = msgspec.Raw(b"null")
    return Recorded(
        id=new_id(), time=now(), account=ACCOUNT, kind="change" if n % 20 == 1 else "read",
        actor=Actor("user", f"user{n % 200}", f"Person {n % 200}", "session:s"), remote="192.0.2.1",
        user_agent="Mozilla/5.0 (X11; Linux x86_64) Firefox", service="identity", operation="create_team",
        resource="team", resource_id=new_id(), resource_name=f"thing-{n}", result="ok", request_id=new_id(),
        before=nothing, after=nothing,
    )  # fmt: skip


if __name__ == "__main__":
    for row in run():
        print("  ".join(row))
