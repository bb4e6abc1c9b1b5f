"""An upgrade on a copy: what would run, what would change, and the real database as it was."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from argosy.host.backup import RehearsalFailed, rehearse_upgrade
from argosy.host.backup.rehearsal import Rows
from argosy.host.paths import DataDir
from argosy.host.postgres.roles import connected, dsn, own_server
from argosy.kit.errors import Internal
from tests.supervised_postgres import Supervised

from .conftest import contents


async def _expand(data: DataDir) -> None:
    """The shape of a real migration run: noted in `schema_migrations`, as the service's own role."""
    async with connected(dsn(data, "identity")) as identity:
        await identity.execute(
            """
            CREATE TABLE schema_migrations (package text, number int, name text, sha256 text,
                                            applied timestamptz NOT NULL DEFAULT now());
            """
        )
        for number, statement in enumerate(
            ("CREATE TABLE teams (id int)", "INSERT INTO teams VALUES (1), (2)"), 1
        ):
            async with identity.transaction():
                await identity.execute(statement)
                await identity.execute(
                    "INSERT INTO schema_migrations VALUES ('identity', $1, 'teams', '')", number
                )


def expand(data: DataDir) -> None:
    asyncio.run(_expand(data))


def test_a_rehearsal_reports_what_would_run_and_changes_nothing(installed: Supervised) -> None:
    before, said = contents(installed.data), list[str]()

    rehearsal = rehearse_upgrade(installed.data, expand, said.append)

    assert [(done.service, done.file) for done in rehearsal.migrations] == [
        ("identity", "0001_teams.sql"), ("identity", "0002_teams.sql"),
    ]  # fmt: skip
    assert all(done.seconds >= 0 for done in rehearsal.migrations)
    assert Rows("identity.teams", None, 2) in rehearsal.tables
    assert Rows("identity.users", 500, 500) in rehearsal.tables
    assert "identity.teams: new → 2 rows" in said
    assert contents(installed.data) == before
    assert not (installed.data.root / "rehearsal").exists()


def test_a_failing_upgrade_is_reported_as_such_and_changes_nothing(installed: Supervised) -> None:
    before = contents(installed.data)

    def failing(data: DataDir) -> None:
        expand(data)
        raise Internal("0003_broken.sql failed", code="migrations.failed")

    with pytest.raises(RehearsalFailed) as failed:
        rehearse_upgrade(installed.data, failing)

    assert "0003_broken.sql failed" in failed.value.message
    assert len(failed.value.rehearsal.migrations) == 2
    assert contents(installed.data) == before
    assert not (installed.data.root / "rehearsal").exists()


def test_a_stopped_installation_can_be_rehearsed_too(installed: Supervised) -> None:
    installed.stop()

    assert len(rehearse_upgrade(installed.data, expand).migrations) == 2


def test_a_rehearsal_never_reaches_a_services_own_server(
    installed: Supervised, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGOSY_CRON_DATABASE_URL", "postgresql://far.example/cron")
    seen: list[str] = []

    rehearsal = rehearse_upgrade(installed.data, lambda _: seen.append(own_server("cron")))

    assert seen == [""]
    assert rehearsal.elsewhere == ["cron"]
    assert os.environ["ARGOSY_CRON_DATABASE_URL"] == "postgresql://far.example/cron"


def test_a_rehearsal_that_was_killed_leaves_nothing_that_disturbs_the_next(
    installed: Supervised,
) -> None:
    leftover = DataDir(installed.data.root / "rehearsal")
    server = Supervised(leftover).start().forget()
    reaper = threading.Thread(target=server.wait)
    reaper.start()

    assert len(rehearse_upgrade(installed.data, expand).migrations) == 2

    reaper.join()
