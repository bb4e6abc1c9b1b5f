"""How tables come to be: numbered SQL files of a package, `0001_teams.sql`, applied once and in order.

`host` calls `migrate` for each service before it starts, `pending` for a rehearsal. Several instances may start at
once: one migrates, the others wait. Each file is one transaction, and what has been applied must not be edited.
Every schema also gets the tables and functions of `standard`: outbox, cursors, inbox, dead letters, isolate_accounts.

A table with rows of accounts has `account text NOT NULL` and its migration says `SELECT isolate_accounts('teams');`.

Change a table in two releases, because old and new instances run side by side for a while. Expand: add the column
(nullable or with a default), the table or the index; the new code writes both forms. Contract, a release later, when
nothing reads the old form any more: drop it. Rename and change of type are an expand, a copy and a contract.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.resources
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import asyncpg

from argosy.backends.database.database import Database
from argosy.backends.database.failures import DRIVER_ERRORS, translated
from argosy.backends.database.transaction import EVERY_ACCOUNT, begin
from argosy.kit.errors import ArgosyError, Conflict, Internal, Unavailable
from argosy.kit.ids import new_id
from argosy.kit.log import get_logger

log = get_logger(__name__)

STANDARD = "argosy.backends.database.standard"
READER = "argosy_events"

_FILE = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")
_LOCK_SECONDS = 300.0
_MIGRATION_SECONDS = 3600.0
_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
  package text NOT NULL, number integer NOT NULL, name text NOT NULL, sha256 text NOT NULL,
  applied timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (package, number))
"""


@dataclass(frozen=True, slots=True)
class Migration:
    package: str
    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def file(self) -> str:
        return f"{self.number:04d}_{self.name}.sql"


async def migrate(database: Database, package: str = "") -> list[str]:
    """Applies what is missing and answers the files' names. `package` is the service's; empty: only the standard."""
    async with _connected(database) as link, _alone(link, database):
        await _make_schema(link, database)
        await link.execute(_TABLE)
        missing = [file for part in _parts(package) for file in _missing(part, await _applied(link, part[0]))]
        for migration in missing:
            await _apply(link, migration)
            log.info("migrations.applied", service=database.service, file=migration.file)
        await _settle_outbox(link)
        await _let_events_read(link)
    return [migration.file for migration in missing]


async def pending(database: Database, package: str = "") -> list[str]:
    """What `migrate` would apply; changes nothing. Raises where `migrate` would refuse."""
    async with _connected(database) as link:
        fresh = await link.fetchval("SELECT to_regclass('schema_migrations')") is None
        return [
            migration.file
            for part in _parts(package)
            for migration in _missing(part, {} if fresh else await _applied(link, part[0]))
        ]


def load(package: str) -> list[Migration]:
    found: list[Migration] = []
    for file in importlib.resources.files(package).iterdir():
        if not file.name.endswith(".sql"):
            continue
        parts = _FILE.fullmatch(file.name)
        if parts is None:
            raise _badly_made(package, f"{file.name} is not named NNNN_name.sql")
        found.append(Migration(package, int(parts[1]), parts[2], file.read_text(encoding="utf-8")))
    found.sort(key=lambda migration: migration.number)
    for expected, migration in enumerate(found, start=1):
        if migration.number != expected:
            raise _badly_made(package, f"{migration.file} stands where number {expected:04d} is expected")
    return found


def _badly_made(package: str, what: str) -> Internal:
    return Internal(f"migrations of {package}: {what}", code="migrations.files", cure="rename the file")


def _parts(package: str) -> list[tuple[str, Sequence[Migration]]]:
    return [(name, load(name)) for name in (STANDARD, package) if name]


async def _applied(link: asyncpg.Connection, package: str) -> dict[int, tuple[str, str]]:
    rows = await link.fetch(
        "SELECT number, name, sha256 FROM schema_migrations WHERE package = $1 ORDER BY number", package
    )
    return {row["number"]: (row["name"], row["sha256"]) for row in rows}


def _missing(part: tuple[str, Sequence[Migration]], applied: dict[int, tuple[str, str]]) -> list[Migration]:
    """Those not applied yet, after checking that those applied are the ones we know."""
    package, known = part
    if newer := sorted(set(applied) - {migration.number for migration in known}):
        number = newer[0]
        raise Conflict(
            f"the database is newer than this program: {number:04d}_{applied[number][0]} of {package} is unknown here",
            code="migrations.newer",
            cure="start the newer version of Argosy, or restore the backup made before the upgrade",
        )
    for migration in known:
        if migration.number in applied and applied[migration.number][1] != migration.sha256:
            raise Conflict(
                f"{migration.file} of {package} was edited after it had been applied",
                code="migrations.changed",
                cure="put the file back as it was, and write the change as a new migration",
            )
    return [migration for migration in known if migration.number not in applied]


async def _apply(link: asyncpg.Connection, migration: Migration) -> None:
    try:
        await link.execute(begin(EVERY_ACCOUNT, read_only=False))
        # Whoever waits for a table's lock makes everybody behind it wait too: rather fail than stop the service.
        await link.execute("SET LOCAL lock_timeout = '10s'")
        await link.execute(migration.sql, timeout=_MIGRATION_SECONDS)
        await link.execute(
            "INSERT INTO schema_migrations (package, number, name, sha256) VALUES ($1, $2, $3, $4)",
            migration.package, migration.number, migration.name, migration.sha256,
        )  # fmt: skip
        await link.execute("COMMIT")
    except asyncpg.LockNotAvailableError as error:
        raise Unavailable(
            f"{migration.file} of {migration.package} waited 10 s for a table that is in use",
            code="migrations.locked",
            cure="stop the other instances of the service or wait for their long statements, then start again",
        ) from error
    except asyncpg.PostgresError as error:
        if isinstance(translated(error, ""), Unavailable):
            raise  # the server's fault, not the file's: told by `_connected`
        raise Internal(
            f"{migration.file} of {migration.package} failed and was undone",
            detail=str(error),
            code="migrations.failed",
            cure="nothing was changed by it; start the previous version, and report this message",
        ) from error


async def _make_schema(link: asyncpg.Connection, database: Database) -> None:
    """On a server of its own a service is given a database that it owns, with nothing in it."""
    if await link.fetchval("SELECT to_regnamespace($1)", database.schema) is not None:
        return  # asked first: IF NOT EXISTS wants the right to make one even where there is one
    try:
        await link.execute(f'CREATE SCHEMA "{database.schema}"')
    except asyncpg.InsufficientPrivilegeError as error:
        user = await link.fetchval("SELECT current_user")
        raise Unavailable(
            f"the database of {database.service} has no schema {database.schema}, and its role may not make one",
            detail=f"the role is {user}",
            code="migrations.schema",
            cure=f'make {user} the owner of the database, or: CREATE SCHEMA {database.schema} AUTHORIZATION "{user}"',
        ) from error


async def _settle_outbox(link: asyncpg.Connection) -> None:
    """On another server than before (a restored or copied database) a new epoch begins.

    Numbers may then be given a second time. Consumers see the new epoch, start from the beginning of what is kept and
    know by their inbox what they have had. Whoever restores onto the same server empties `outbox_state` instead.
    """
    await link.execute(
        """
        INSERT INTO outbox_state (server, epoch) SELECT system_identifier, $1 FROM pg_control_system()
        ON CONFLICT (one) DO UPDATE SET server = excluded.server, epoch = excluded.epoch, pruned_seq = 0
        WHERE outbox_state.server <> excluded.server
        """,
        new_id(),
    )


async def _let_events_read(link: asyncpg.Connection) -> None:
    if await link.fetchval("SELECT true FROM pg_roles WHERE rolname = $1", READER):
        await link.execute(f"GRANT SELECT ON outbox, outbox_state TO {READER}")


@asynccontextmanager
async def _connected(database: Database) -> AsyncIterator[asyncpg.Connection]:
    link = await database.dedicated()
    try:
        yield link
    except DRIVER_ERRORS as error:
        better: ArgosyError | None = translated(error, database.service)
        if better is None:
            raise
        raise better from error
    finally:
        link.terminate()


@asynccontextmanager
async def _alone(link: asyncpg.Connection, database: Database) -> AsyncIterator[None]:
    """One instance at a time; the lock goes with the connection."""
    name, deadline, said = f"argosy.migrations.{database.schema}", time.monotonic() + _LOCK_SECONDS, False
    while not await link.fetchval("SELECT pg_try_advisory_lock(hashtextextended($1, 0))", name):
        if time.monotonic() > deadline:
            raise Unavailable(
                f"another instance has been migrating {database.service} for {_LOCK_SECONDS:.0f} s",
                code="migrations.busy",
                cure="wait until it is done, then start again",
            )
        if not said:
            log.info("migrations.waiting", service=database.service, reason="another instance is migrating")
            said = True
        await asyncio.sleep(0.05)
    yield
