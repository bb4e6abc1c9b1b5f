"""Tries an upgrade on a copy of the database and says what it would do; the real one is only read.

`argosy upgrade --rehearse` calls this with the plan's own migration function, which is given the copy as if it
were an installation. What ran and how long it took is read from the copy itself, before and after.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import asyncpg
import msgspec

from argosy.host.backup.dump import dumped, load
from argosy.host.backup.restoring import empty_database
from argosy.host.backup.server import reachable, services_elsewhere, services_here
from argosy.host.backup.staging import scratch_of, wipe
from argosy.host.paths import DataDir
from argosy.host.postgres.cluster import FREE_BYTES_FLOOR, Report, explain
from argosy.host.postgres.location import locate
from argosy.host.postgres.passwords import ADMIN
from argosy.host.postgres.roles import connected, ensure_layout, local_dsn, quoted
from argosy.host.supervisor.lock import held
from argosy.kit.errors import ArgosyError, Conflict

Migrate = Callable[[DataDir], object]
_COUNT_SECONDS = 600.0


class Migrated(msgspec.Struct, frozen=True):
    service: str
    file: str
    seconds: float


class Rows(msgspec.Struct, frozen=True):
    """None: the table did not exist then."""

    table: str
    before: int | None
    after: int | None


class Rehearsal(msgspec.Struct, frozen=True):
    migrations: list[Migrated]
    tables: list[Rows]
    copy_seconds: float
    migrate_seconds: float
    elsewhere: list[str]
    error: str = ""


class RehearsalFailed(Conflict):
    """The upgrade would fail; `rehearsal` has all that was learned."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        super().__init__(
            f"the upgrade would fail: {rehearsal.error}",
            code="rehearsal.failed",
            cure="nothing was changed; stay on the installed version and report this message",
        )
        self.rehearsal = rehearsal


def rehearse_upgrade(data: DataDir, migrate: Migrate, report: Report = lambda _: None) -> Rehearsal:
    scratch = scratch_of(data)
    with reachable(data, report), _alone(data):
        wipe(scratch)
        try:
            _check_space(data)
            rehearsal = _rehearse(data, scratch, migrate, report)
        except OSError as error:
            raise explain(error, data) from error
        finally:
            wipe(scratch)
    for line in told(rehearsal):
        report(line)
    if rehearsal.error:
        raise RehearsalFailed(rehearsal)
    return rehearsal


def told(rehearsal: Rehearsal) -> list[str]:
    lines = [f"{done.service}: {done.file} in {done.seconds:.2f} s" for done in rehearsal.migrations]
    for table in rehearsal.tables:
        if table.before != table.after:
            before = "new" if table.before is None else f"{table.before} rows"
            lines.append(
                f"{table.table}: {before} → {'gone' if table.after is None else f'{table.after} rows'}"
            )
    if rehearsal.elsewhere:
        lines.append(f"not rehearsed, on servers of their own: {', '.join(rehearsal.elsewhere)}")
    count = len(rehearsal.migrations)
    lines.append(
        f"{count or 'no'} migration{'' if count == 1 else 's'} in {rehearsal.migrate_seconds:.1f} s "
        f"on a copy that took {rehearsal.copy_seconds:.1f} s; the installation was not changed"
    )
    return lines


@contextmanager
def _alone(data: DataDir) -> Iterator[None]:
    with held(data.run / "rehearsal.lock") as ours:
        if not ours:
            raise Conflict(
                "another rehearsal runs on this installation",
                code="rehearsal.busy",
                cure="wait until it has ended",
            )
        yield


def _check_space(data: DataDir) -> None:
    needed = asyncio.run(_database_bytes(data)) + FREE_BYTES_FLOOR
    facts = os.statvfs(locate(data).home)
    if (free := facts.f_bavail * facts.f_frsize) < needed:
        raise Conflict(
            f"a copy of the database needs {needed >> 20} MB, and {free >> 20} MB are free",
            code="disk_full",
            cure="free some space, or rehearse on another machine after 'argosy backup' and 'argosy restore'",
        )


async def _database_bytes(data: DataDir) -> int:
    async with connected(local_dsn(data, ADMIN)) as admin:
        size: int = await admin.fetchval("SELECT pg_database_size(current_database())")
    return size


def _rehearse(data: DataDir, scratch: DataDir, migrate: Migrate, report: Report) -> Rehearsal:
    services, elsewhere = services_here(data), services_elsewhere()
    started = time.monotonic()
    scratch.create()
    shutil.copytree(data.secrets, scratch.secrets, dirs_exist_ok=True)
    with empty_database(scratch, services, report):
        report("copying the database")
        load(scratch, dumped(data))
        asyncio.run(ensure_layout(scratch, services))
        copied = time.monotonic()
        before = asyncio.run(_facts(scratch))
        report("running the migrations on the copy")
        begun = time.monotonic()
        error = _migrated(scratch, migrate)
        ended, end = time.monotonic(), datetime.now(UTC)
        after = asyncio.run(_facts(scratch))
    return Rehearsal(
        migrations=_new(before, after, end),
        tables=[
            Rows(name, before.rows.get(name), after.rows.get(name))
            for name in sorted(before.rows | after.rows)
        ],
        copy_seconds=copied - started,
        migrate_seconds=ended - begun,
        elsewhere=elsewhere,
        error=error,
    )


def _migrated(scratch: DataDir, migrate: Migrate) -> str:
    with _without_own_servers():
        try:
            migrate(scratch)
        except ArgosyError as error:
            return error.told
        except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            return str(error)
    return ""


@contextmanager
def _without_own_servers() -> Iterator[None]:
    """A service's own server is a real one: for the rehearsal its URL must not be found."""
    names = [f"ARGOSY_{service.upper()}_DATABASE_URL" for service in services_elsewhere()]
    kept = {name: os.environ.pop(name) for name in names}
    try:
        yield
    finally:
        os.environ.update(kept)


class _Facts(msgspec.Struct, frozen=True):
    rows: dict[str, int]
    applied: dict[tuple[str, str, str], datetime]


async def _facts(data: DataDir) -> _Facts:
    rows: dict[str, int] = {}
    applied: dict[tuple[str, str, str], datetime] = {}
    async with connected(local_dsn(data, ADMIN)) as admin:
        tables = await admin.fetch(
            "SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace "
            "JOIN pg_roles ON pg_roles.oid = nspowner WHERE relkind = 'r' AND rolname = 'argosy_' || nspname"
        )
        for schema, table in tables:
            name = f"{quoted(schema)}.{quoted(table)}"
            rows[f"{schema}.{table}"] = await admin.fetchval(
                f"SELECT count(*) FROM {name}",
                timeout=_COUNT_SECONDS,
            )
            if table == "schema_migrations":
                for row in await admin.fetch(f"SELECT package, number, name, applied FROM {name}"):
                    file = f"{row['number']:04d}_{row['name']}.sql"
                    applied[schema, row["package"], file] = row["applied"]
    return _Facts(rows, applied)


def _new(before: _Facts, after: _Facts, end: datetime) -> list[Migrated]:
    """They run one after the other, and each noted when its transaction began: it took until the next began."""
    fresh = sorted(
        ((began, key) for key, began in after.applied.items() if key not in before.applied),
        key=lambda each: (each[0], each[1]),
    )
    ends = [*(began for began, _ in fresh), end][1:]
    return [
        Migrated(service, file, max(0.0, (until - began).total_seconds()))
        for (began, (service, _, file)), until in zip(fresh, ends, strict=True)
    ]
