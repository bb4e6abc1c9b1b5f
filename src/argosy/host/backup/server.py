"""The installation's PostgreSQL for a job beside it: the supervisor's while one runs, else one just for the job.

Used by `taking` and `rehearsal`. The supervisor's lock is held while there is none, so that an `up` in between
waits its turn instead of finding a server it did not start.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass

import asyncpg

from argosy.host.paths import DataDir
from argosy.host.postgres.cluster import Report
from argosy.host.postgres.location import locate, unwritable
from argosy.host.postgres.passwords import ADMIN
from argosy.host.postgres.process import probe
from argosy.host.postgres.roles import connected, local_dsn
from argosy.host.postgres.temporary import START_SECONDS, temporarily_running
from argosy.host.supervisor.lock import held
from argosy.kit.errors import Conflict, Unavailable

_OWN_URL = re.compile(r"ARGOSY_([A-Z0-9_]+)_DATABASE_URL")


@contextmanager
def reachable(data: DataDir, report: Report) -> Iterator[bool]:
    """True inside the block when the installation runs by itself; it neither starts nor stops meanwhile when it does not."""
    if not locate(data).exists():
        raise Conflict(
            f"there is no installation in {data.root}",
            code="backup.nothing",
            cure="name the right one with --data-dir, or start one with 'argosy up'",
        )
    try:
        data.create()
    except OSError as error:
        raise unwritable(data, error) from error
    with held(data.lock) as ours:
        if ours:
            with temporarily_running(data, report):
                yield False
        else:
            _await_the_supervisors(data, report)
            yield True


def _await_the_supervisors(data: DataDir, report: Report) -> None:
    deadline, said = time.monotonic() + START_SECONDS, ""
    while waits_for := probe(data):
        if time.monotonic() > deadline:
            raise Unavailable(
                f"the running installation's database is not ready: {waits_for}",
                code="backup.database_not_ready",
                cure="see 'argosy status', and try again when it is healthy",
            )
        if waits_for != said:
            report(waits_for)
            said = waits_for
        time.sleep(0.2)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`audit_heads`: how long each chain of the audit log is in it, by account and kind; None where there is none here."""

    name: str
    audit_heads: dict[tuple[str, str], int] | None


@contextmanager
def snapshot(data: DataDir) -> Iterator[Snapshot]:
    """One moment of the database, held for pg_dump to take over. It reads only, so no event waits for it."""
    with asyncio.Runner() as loop:
        held_open = AsyncExitStack()
        link = loop.run(held_open.enter_async_context(connected(local_dsn(data, ADMIN))))
        try:
            yield loop.run(_export(link))
        finally:
            loop.run(held_open.aclose())


async def _export(link: asyncpg.Connection) -> Snapshot:
    await link.execute(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0"
    )
    name: str = await link.fetchval("SELECT pg_export_snapshot()")
    if await link.fetchval("SELECT to_regclass('audit.chains')") is None:
        return Snapshot(name, None)
    rows = await link.fetch("SELECT account, kind, number FROM audit.chains")
    return Snapshot(name, {(row["account"], row["kind"]): row["number"] for row in rows})


def services_here(data: DataDir) -> list[str]:
    return asyncio.run(_schemas(data))


async def _schemas(data: DataDir) -> list[str]:
    """A service's schema is the one that its role owns."""
    async with connected(local_dsn(data, ADMIN)) as admin:
        rows = await admin.fetch(
            "SELECT nspname FROM pg_namespace JOIN pg_roles ON pg_roles.oid = nspowner "
            "WHERE rolname = 'argosy_' || nspname ORDER BY nspname"
        )
    return [row["nspname"] for row in rows]


def services_elsewhere() -> list[str]:
    """Those whose own URL the environment names."""
    found = (_OWN_URL.fullmatch(name) for name, value in os.environ.items() if value)
    return sorted(match[1].lower() for match in found if match is not None)
