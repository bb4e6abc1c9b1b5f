"""The layout inside the server: one database; per service a login role that owns one schema and sees no other.

`ensure_databases` runs after each start of PostgreSQL and before migrations, which run as the service's own
role. `argosy_events` may enter every schema but reads only what a migration grants it: the table `outbox`.
What PostgreSQL gives to everybody is taken back where no service needs it: other databases, temporary tables, the schema
`public`, large objects (which lie outside every schema, and know no account), functions of other services.
A service with `ARGOSY_<SERVICE>_DATABASE_URL` lives on a server of its own, whose layout is its operator's.
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from urllib.parse import quote

import asyncpg

from argosy.host.paths import DataDir
from argosy.host.postgres.location import PORT, locate
from argosy.host.postgres.passwords import ADMIN, EVENTS, matches, password, verifier
from argosy.kit.errors import BadRequest

DATABASE = "argosy"
DEADLINE_SECONDS = 30.0
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
_NO_LARGE_OBJECTS = r"""
DO $$
DECLARE
  each regprocedure;
BEGIN
  FOR each IN SELECT oid FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^lo(_|read$|write$)'
      AND has_function_privilege('public', oid, 'EXECUTE')
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', each);
  END LOOP;
END $$
"""
_RESERVED = frozenset({ADMIN, EVENTS, "public", "information_schema"})


def own_server(service: str) -> str:
    """The URL an operator gave this service, or ""."""
    return os.environ.get(f"ARGOSY_{service.upper()}_DATABASE_URL", "")


def role(name: str) -> str:
    return ADMIN if name == ADMIN else f"argosy_{name}"


def quoted(name: str) -> str:
    """An identifier for SQL text."""
    return '"' + name.replace('"', '""') + '"'


def dsn(data: DataDir, service: str) -> str:
    """How a service connects. `passwords.EVENTS` and `passwords.ADMIN` are names like any service's."""
    return own_server(service) or local_dsn(data, service)


def local_dsn(data: DataDir, name: str, database: str = DATABASE) -> str:
    return socket_dsn(str(locate(data).sockets), role(name), password(data, name), database)


def socket_dsn(sockets: str, user: str, secret: str, database: str) -> str:
    host, port = quote(sockets, safe="/"), "" if PORT == 5432 else f"&port={PORT}"
    return f"postgresql://{user}:{quote(secret, safe='')}@/{database}?host={host}{port}"


async def ensure_databases(data: DataDir, services: Sequence[str]) -> None:
    """Idempotent: a second run changes nothing, a lost password file or a changed role is put right."""
    here = [name for name in services if not own_server(name)]
    secrets = {name: password(data, name) for name in (*here, EVENTS)}
    for database in ("postgres", "template1"):
        async with connected(local_dsn(data, ADMIN, database)) as admin:
            await admin.execute(f"REVOKE ALL ON DATABASE {database} FROM PUBLIC")
    async with connected(local_dsn(data, ADMIN, "postgres")) as admin:
        await create_database(admin, DATABASE)
        await ensure_roles(admin, secrets)
    async with connected(local_dsn(data, ADMIN)) as admin:
        await lay_out(admin, DATABASE, here)


async def ensure_layout(data: DataDir, services: Sequence[str]) -> None:
    """For a database that was just brought back: exactly these services, wherever their URLs point now."""
    async with connected(local_dsn(data, ADMIN)) as admin:
        await lay_out(admin, DATABASE, services)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection with deadlines that is always closed."""
    link = await asyncpg.connect(url, timeout=DEADLINE_SECONDS, command_timeout=DEADLINE_SECONDS)
    try:
        yield link
    finally:
        await link.close(timeout=DEADLINE_SECONDS)


async def create_database(admin: asyncpg.Connection, name: str) -> None:
    if await admin.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", name) is None:
        await admin.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')


async def ensure_roles(admin: asyncpg.Connection, secrets: Mapping[str, str]) -> None:
    """A login role for each name, with the password of its file and no power beyond what it owns."""
    rows = await admin.fetch("SELECT rolname, rolpassword FROM pg_authid WHERE rolcanlogin")
    known: dict[str, str | None] = {row["rolname"]: row["rolpassword"] for row in rows}
    for name, secret in secrets.items():
        _check_name(name)
        user = role(name)
        verb = "ALTER" if user in known else "CREATE"
        proof = "" if matches(secret, known.get(user)) else f" PASSWORD '{verifier(secret)}'"
        await admin.execute(
            f'{verb} ROLE "{user}" LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION{proof}'
        )


def _check_name(name: str) -> None:
    if _NAME.fullmatch(name) is None or name in _RESERVED - {EVENTS} or name.startswith("pg_"):
        raise BadRequest(
            f"'{name}' cannot name a service's schema",
            code="postgres.bad_name",
            cure="use lower-case letters, digits and underscores, and none of PostgreSQL's own names",
        )


async def lay_out(admin: asyncpg.Connection, database: str, services: Sequence[str]) -> None:
    """Schemas and grants, connected to `database` as the superuser, in one transaction."""
    reader = role(EVENTS)
    async with admin.transaction():
        await admin.execute(f'REVOKE ALL ON DATABASE "{database}" FROM PUBLIC')
        await admin.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
        await admin.execute(_NO_LARGE_OBJECTS)
        await admin.execute(f'GRANT CONNECT ON DATABASE "{database}" TO "{reader}"')
        for service in services:
            _check_name(service)
            user = role(service)
            await admin.execute(
                f"""
                CREATE SCHEMA IF NOT EXISTS "{service}" AUTHORIZATION "{user}";
                ALTER SCHEMA "{service}" OWNER TO "{user}";
                REVOKE ALL ON SCHEMA "{service}" FROM PUBLIC;
                REVOKE ALL ON ALL ROUTINES IN SCHEMA "{service}" FROM PUBLIC;
                ALTER DEFAULT PRIVILEGES FOR ROLE "{user}" REVOKE ALL ON ROUTINES FROM PUBLIC;
                GRANT USAGE ON SCHEMA "{service}" TO "{reader}";
                GRANT CONNECT ON DATABASE "{database}" TO "{user}";
                ALTER ROLE "{user}" IN DATABASE "{database}" SET search_path = "{service}";
                """
            )
            if await admin.fetchval("SELECT to_regclass($1)", f'"{service}".outbox') is not None:
                await admin.execute(f'GRANT SELECT ON "{service}".outbox TO "{reader}"')
