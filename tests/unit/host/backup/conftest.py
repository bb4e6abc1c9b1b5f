"""An installation with something in it, small and quick to make: every test gets its own."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from argosy.host.paths import DataDir
from argosy.host.postgres.roles import connected, dsn, ensure_databases
from tests.supervised_postgres import Supervised, short_place

SERVICES = ["identity", "audit"]


@pytest.fixture
def place() -> Iterator[Path]:
    with short_place() as folder:
        yield folder


@pytest.fixture(scope="session")
def furnished() -> Iterator[Path]:
    """A stopped installation to copy, because making a cluster takes longer than most tests."""
    with short_place() as folder:
        with Supervised(DataDir(folder / "argosy")) as installation:
            asyncio.run(_furnish(installation.data))
            installation.stop()
        yield folder / "argosy"


@pytest.fixture
def installed(place: Path, furnished: Path) -> Iterator[Supervised]:
    """Running, with rows behind row-level security, an anchor, a key and settings."""
    subprocess.run(["cp", "-a", "--", str(furnished), str(place / "argosy")], check=True, timeout=60)
    installation = Supervised(DataDir(place / "argosy")).start()
    yield installation
    installation.kill()


async def _furnish(data: DataDir) -> None:
    await ensure_databases(data, SERVICES)
    async with connected(dsn(data, "identity")) as identity:
        await identity.execute(
            """
            CREATE TABLE users (id int PRIMARY KEY, account text NOT NULL, email text NOT NULL);
            INSERT INTO users SELECT n, 'a' || n % 3, 'user' || n || '@example.test' FROM generate_series(1, 500) n;
            ALTER TABLE users ENABLE ROW LEVEL SECURITY;
            ALTER TABLE users FORCE ROW LEVEL SECURITY;
            CREATE POLICY own ON users USING (account = current_setting('app.account', true));
            CREATE TABLE outbox (seq bigserial PRIMARY KEY, xid xid8 NOT NULL DEFAULT pg_current_xact_id(), body jsonb);
            INSERT INTO outbox (body) VALUES ('{"kind": "made"}');
            GRANT SELECT ON outbox TO argosy_events;
            """
        )
    async with connected(dsn(data, "audit")) as audit:
        await audit.execute(
            "CREATE TABLE entries (id int, what text); INSERT INTO entries VALUES (1, 'Grüße ☃')"
        )
    (data.anchors / "account-1").write_text("head 1\n")
    (data.secrets / "identity").mkdir(mode=0o700)
    (data.secrets / "identity" / "signing.pem").write_text("a key\n")
    data.settings.write_text("up: {port: 8080}\n")


def contents(data: DataDir) -> dict[str, object]:
    """All that a restore must bring back, from a running installation."""
    files = {
        path.relative_to(data.root).as_posix(): path.read_text()
        for folder in (data.secrets, data.anchors)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return {"files": files, "settings": data.settings.read_text(), "rows": asyncio.run(_rows(data))}


async def _rows(data: DataDir) -> list[object]:
    async with connected(dsn(data, "identity")) as identity:
        await identity.execute("SELECT set_config('app.account', 'a1', false)")
        found = [tuple(row) for row in await identity.fetch("SELECT * FROM users ORDER BY id")]
        assert await identity.fetchval("SELECT current_schema()") == "identity"
    async with connected(dsn(data, "audit")) as audit:
        found += [tuple(row) for row in await audit.fetch("SELECT * FROM entries")]
    async with connected(dsn(data, "events")) as events:
        found += [
            tuple(row) for row in await events.fetch("SELECT seq, xid::text, body FROM identity.outbox")
        ]
    return list(found)
