"""The layout inside the server: each service alone in its schema, everybody behind a password."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from argosy.host.paths import DataDir
from argosy.host.postgres.passwords import ADMIN
from argosy.host.postgres.roles import connected, dsn, ensure_roles, lay_out, own_server
from argosy.kit.errors import BadRequest
from tests.postgres import TestPostgres

SERVICES = ("identity", "audit")


@pytest.fixture(scope="module")
def server() -> Iterator[TestPostgres]:
    with TestPostgres() as running:
        yield running


@pytest.fixture
def dsns(server: TestPostgres) -> Iterator[dict[str, str]]:
    made = server.new_database(SERVICES)
    yield made
    server.drop_database(made["admin"])


async def make_outbox(dsns: dict[str, str]) -> None:
    """What a migration does, as the service's own role."""
    async with connected(dsns["identity"]) as identity:
        await identity.execute("CREATE TABLE outbox (id int); CREATE TABLE users (id int)")
        await identity.execute("INSERT INTO outbox VALUES (1); GRANT SELECT ON outbox TO argosy_events")


async def test_a_service_finds_itself_in_its_own_schema(dsns: dict[str, str]) -> None:
    async with connected(dsns["identity"]) as identity:
        assert await identity.fetchval("SELECT current_schema()") == "identity"
        assert await identity.fetchval("SELECT current_user") == "argosy_identity"


async def test_a_service_role_has_no_power_over_the_server(dsns: dict[str, str]) -> None:
    async with connected(dsns["admin"]) as admin:
        rows = await admin.fetch(
            "SELECT rolsuper OR rolbypassrls OR rolcreatedb OR rolcreaterole OR rolreplication AS powerful "
            "FROM pg_roles WHERE rolname LIKE 'argosy_%'"
        )

    assert rows and not any(row["powerful"] for row in rows)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM identity.users",
        "SELECT * FROM identity.outbox",
        "INSERT INTO identity.outbox VALUES (2)",
        "CREATE TABLE identity.mine (id int)",
        "CREATE TABLE public.mine (id int)",
        "CREATE SCHEMA mine",
        "CREATE TEMP TABLE mine (id int)",
        "SELECT lo_create(0)",
        "SELECT lo_creat(-1)",
        "SELECT lo_from_bytea(0, 'x')",
        "SELECT lo_open(1, 131072)",
        "SELECT lo_put(1, 0, 'x')",
        "SELECT lo_unlink(1)",
        "SET ROLE argosy_identity",
        "ALTER ROLE argosy_identity PASSWORD 'x'",
        "SELECT * FROM pg_authid",
        "SELECT pg_read_file('postgresql.conf')",
        "COPY (SELECT 1) TO PROGRAM 'id'",
    ],
)
async def test_a_service_cannot_touch_what_is_not_its_own(dsns: dict[str, str], statement: str) -> None:
    await make_outbox(dsns)
    async with connected(dsns["audit"]) as audit:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await audit.execute(statement)


async def test_the_events_role_reads_an_outbox_and_nothing_else(dsns: dict[str, str]) -> None:
    await make_outbox(dsns)
    async with connected(dsns["events"]) as events:
        assert await events.fetchval("SELECT count(*) FROM identity.outbox") == 1
        for statement in ("SELECT * FROM identity.users", "DELETE FROM identity.outbox"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await events.execute(statement)


async def test_everybody_has_nothing_beyond_postgresqls_own_catalog(dsns: dict[str, str]) -> None:
    async with connected(dsns["identity"]) as identity:
        await identity.execute("CREATE FUNCTION made() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    async with connected(dsns["admin"]) as admin:
        await lay_out(admin, await admin.fetchval("SELECT current_database()"), SERVICES)
        rows = await admin.fetch(
            """
            SELECT 'database ' || datname || ': ' || privilege_type AS held
            FROM pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba)))
            WHERE grantee = 0 AND datname = current_database()
            UNION ALL SELECT 'schema ' || nspname || ': ' || privilege_type
            FROM pg_namespace, aclexplode(coalesce(nspacl, acldefault('n', nspowner)))
            WHERE grantee = 0 AND nspname NOT IN ('pg_catalog', 'information_schema')
            UNION ALL SELECT 'function ' || pg_proc.oid::regprocedure
            FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner)))
            WHERE grantee = 0 AND (proname ~ '^lo(_|read$|write$)'
                OR pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace))
            """
        )
    assert [row["held"] for row in rows] == []


async def test_a_repeated_layout_changes_nothing_and_grants_a_restored_outbox(dsns: dict[str, str]) -> None:
    await make_outbox(dsns)
    async with connected(dsns["admin"]) as admin:
        await admin.execute("REVOKE SELECT ON identity.outbox FROM argosy_events")
        await lay_out(admin, await admin.fetchval("SELECT current_database()"), SERVICES)
    async with connected(dsns["events"]) as events:
        assert await events.fetchval("SELECT count(*) FROM identity.outbox") == 1


@pytest.mark.parametrize("database", ["postgres", "template1"])
async def test_a_service_connects_to_no_other_database_than_its_own(
    server: TestPostgres, dsns: dict[str, str], database: str
) -> None:
    async with connected(server.dsn(database="postgres")) as admin:
        await admin.execute(f"REVOKE ALL ON DATABASE {database} FROM PUBLIC")

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await asyncpg.connect(server.dsn("identity", database))


@pytest.mark.parametrize("name", [*SERVICES, "events", "admin"])
async def test_a_wrong_password_or_none_is_refused_for_every_role(dsns: dict[str, str], name: str) -> None:
    for secret in (":wrong@", "@"):
        url = dsns[name].replace(":throw-away@", secret)
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(url, passfile="/dev/null/none") if secret == "@" else await asyncpg.connect(
                url
            )


async def test_a_changed_password_file_changes_the_role_and_an_unchanged_one_does_not(
    server: TestPostgres,
) -> None:
    async def stored(admin: asyncpg.Connection) -> str:
        return await admin.fetchval("SELECT rolpassword FROM pg_authid WHERE rolname = 'argosy_cron'")

    async with connected(server.dsn()) as admin:
        await ensure_roles(admin, {"cron": "one"})
        first = await stored(admin)
        await ensure_roles(admin, {"cron": "one"})
        again = await stored(admin)
        await ensure_roles(admin, {"cron": "two"})
        changed = await stored(admin)

    assert first == again != changed


async def test_a_role_that_was_given_power_loses_it_again(server: TestPostgres) -> None:
    async with connected(server.dsn()) as admin:
        await ensure_roles(admin, {"hub": "one"})
        await admin.execute("ALTER ROLE argosy_hub SUPERUSER BYPASSRLS")
        await ensure_roles(admin, {"hub": "one"})
        assert not await admin.fetchval(
            "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname='argosy_hub'"
        )


@pytest.mark.parametrize("name", ["", "Identity", 'a"; DROP', "pg_own", "public", ADMIN, "a" * 60])
async def test_a_name_that_could_not_be_a_schema_is_refused(server: TestPostgres, name: str) -> None:
    async with connected(server.dsn()) as admin:
        with pytest.raises(BadRequest):
            await ensure_roles(admin, {name: "secret"})


def test_a_service_with_a_server_of_its_own_uses_that_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = DataDir(tmp_path)
    data.create()
    monkeypatch.setenv("ARGOSY_AUDIT_DATABASE_URL", "postgresql://far.example/audit")

    assert dsn(data, "audit") == own_server("audit") == "postgresql://far.example/audit"
    assert dsn(data, "identity").startswith("postgresql://argosy_identity:")


async def test_a_database_layout_is_complete_or_absent(server: TestPostgres) -> None:
    """A role that is missing fails the whole transaction: no schema without its owner is left."""
    database = server.create_database()
    async with connected(server.dsn(database=database)) as admin:
        await ensure_roles(admin, {"events": "throw-away", "identity": "throw-away"})
        with pytest.raises(asyncpg.UndefinedObjectError):
            await lay_out(admin, database, ["identity", "never_made"])
        assert await admin.fetchval("SELECT count(*) FROM pg_namespace WHERE nspname = 'identity'") == 0
