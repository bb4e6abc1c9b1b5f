"""Backup, reset, restore: the same installation again, or the old one untouched and a reason."""

from __future__ import annotations

import asyncio
import os
import tarfile
from pathlib import Path

import asyncpg
import pytest

from argosy.host.backup import archive, backup, finish_interrupted, preview, restore
from argosy.host.backup import restoring as restoring_module
from argosy.host.backup import staging as staging_module
from argosy.host.backup import taking as taking_module
from argosy.host.backup.staging import stage_of
from argosy.host.paths import DataDir
from argosy.host.postgres.location import locate
from argosy.host.postgres.orphans import running_on
from argosy.host.postgres.roles import connected, dsn
from argosy.host.supervisor.lock import held
from argosy.kit.errors import ArgosyError, Conflict
from tests.supervised_postgres import Supervised

from .conftest import contents


def test_backup_reset_restore_gives_the_same(installed: Supervised, place: Path) -> None:
    before = contents(installed.data)
    manifest = backup(installed.data, place / "backup.tar")
    installed.reset()

    restored = restore(installed.data, place / "backup.tar")

    installed.start()
    assert contents(installed.data) == before
    assert restored == manifest
    assert manifest.services == ["audit", "identity"]
    assert sorted(entry.name for entry in installed.data.root.iterdir()) == [
        "anchors", "clusters", "logs", "postgres", "run", "secrets", "settings.yaml",
    ]  # fmt: skip


def test_a_restored_installation_is_as_closed_as_a_new_one(installed: Supervised, place: Path) -> None:
    backup(installed.data, place / "backup.tar")
    installed.reset()
    restore(installed.data, place / "backup.tar")
    installed.start()

    async def trespass() -> None:
        async with connected(dsn(installed.data, "audit")) as audit:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await audit.execute("SELECT * FROM identity.users")
        async with connected(dsn(installed.data, "identity")) as identity:
            assert await identity.fetchval("SELECT count(*) FROM users") == 0  # no account, no rows
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await identity.execute("CREATE TABLE public.mine (id int)")

    asyncio.run(trespass())
    for path in installed.data.secrets.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def test_the_backup_of_a_stopped_installation_starts_its_database_for_a_moment(
    installed: Supervised, place: Path
) -> None:
    before = contents(installed.data)
    installed.stop()

    backup(installed.data, place / "backup.tar")

    assert running_on(locate(installed.data).cluster) == []
    restore(DataDir(place / "other"), place / "backup.tar")
    with Supervised(DataDir(place / "other")) as other:
        assert contents(other.data) == before


def test_a_backup_is_one_private_file_that_others_can_read_with_tar(
    installed: Supervised, place: Path
) -> None:
    said: list[str] = []

    manifest = backup(installed.data, place / "backup.tar", said.append)

    assert (place / "backup.tar").stat().st_mode & 0o777 == 0o600
    assert [name for name in os.listdir(place) if name.startswith(".")] == []
    with tarfile.open(place / "backup.tar") as tar:
        assert {*manifest.members, "manifest.json", "manifest.sha256"} == set(tar.getnames())
    assert said[0] == "copying the database"
    assert said[-1].startswith("backup written: ")


def test_secrets_are_copied_after_the_database(installed: Supervised, place: Path) -> None:
    """A key must never be missing for a row of the dump."""
    order = list(backup(installed.data, place / "backup.tar").members)

    dump = order.index(archive.DUMP)
    assert all(order.index(name) > dump for name in order if name.startswith("secrets/"))


def test_what_lies_on_another_server_is_named(
    installed: Supervised, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGOSY_CRON_DATABASE_URL", "postgresql://far.example/cron")
    said: list[str] = []

    manifest = backup(installed.data, place / "backup.tar", said.append)

    assert manifest.elsewhere == ["cron"]
    assert any("cron" in line for line in said)


def test_an_existing_file_is_never_overwritten(installed: Supervised, place: Path) -> None:
    (place / "precious").write_text("mine")

    with pytest.raises(Conflict):
        backup(installed.data, place / "precious")

    assert (place / "precious").read_text() == "mine"


def test_a_backup_into_a_folder_that_does_not_exist_says_so(installed: Supervised, place: Path) -> None:
    with pytest.raises(Conflict) as refused:
        backup(installed.data, place / "nowhere" / "backup.tar")

    assert refused.value.code == "backup.not_writable"


def test_an_installation_of_somebody_else_is_named_as_what_cannot_be_read(
    installed: Supervised, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = installed.data.secrets / "db-postgres"

    def forbidden(*_: object) -> list[bytes]:
        raise PermissionError(13, "Permission denied", str(password))

    monkeypatch.setattr(taking_module, "dumped", forbidden)

    with pytest.raises(Conflict) as refused:
        backup(installed.data, place / "backup.tar")

    assert refused.value.code == "backup.not_readable"
    assert refused.value.context == {"where": str(password)}


def test_without_an_installation_there_is_nothing_to_back_up(place: Path) -> None:
    with pytest.raises(Conflict) as refused:
        backup(DataDir(place / "empty"), place / "backup.tar")

    assert refused.value.code == "backup.nothing"
    assert not (place / "empty").exists()


def test_a_backup_that_fails_half_way_leaves_no_file(
    installed: Supervised, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[bytes]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(taking_module, "dumped", broken)

    with pytest.raises(Conflict) as refused:
        backup(installed.data, place / "backup.tar")

    assert refused.value.code == "disk_full"
    assert [name for name in os.listdir(place) if "backup" in name] == []


def test_a_tampered_backup_is_refused_before_anything_is_touched(installed: Supervised, place: Path) -> None:
    file = place / "backup.tar"
    backup(installed.data, file)
    installed.stop()
    before = tree(installed.data)
    with tarfile.open(file) as tar:
        dump = tar.getmember(archive.DUMP)
    with file.open("r+b") as stream:
        stream.seek(dump.offset_data + dump.size // 2)
        stream.write(b"?!")

    with pytest.raises(ArgosyError) as refused:
        restore(installed.data, file, force=True)

    assert refused.value.code == "backup.damaged"
    assert tree(installed.data) == before


def tree(data: DataDir) -> list[str]:
    return sorted(
        str(path.relative_to(data.root)) for path in data.root.rglob("*") if path.name != "supervisor.lock"
    )


def test_a_running_installation_is_not_restored_over(installed: Supervised, place: Path) -> None:
    backup(installed.data, place / "backup.tar")

    with held(installed.data.lock), pytest.raises(Conflict) as refused:
        restore(installed.data, place / "backup.tar", force=True)

    assert refused.value.code == "restore.running"


def test_existing_data_is_replaced_only_when_forced_and_named_before(
    installed: Supervised, place: Path
) -> None:
    backup(installed.data, place / "backup.tar")
    before = contents(installed.data)
    asyncio.run(_change(installed.data))
    installed.stop()

    with pytest.raises(Conflict) as refused:
        restore(installed.data, place / "backup.tar")
    assert refused.value.code == "restore.not_empty"
    for named in preview(installed.data):
        assert named in refused.value.message

    restore(installed.data, place / "backup.tar", force=True)
    installed.start()
    assert contents(installed.data) == before


async def _change(data: DataDir) -> None:
    async with connected(dsn(data, "audit")) as audit:
        await audit.execute("DELETE FROM entries")
    (data.anchors / "account-2").write_text("made after the backup")


def test_a_restore_that_fails_leaves_the_old_data_as_it_was(
    installed: Supervised, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup(installed.data, place / "backup.tar")
    before = contents(installed.data)
    installed.stop()

    def broken(_: DataDir, __: object) -> None:
        raise Conflict("the dump does not load", code="backup.restore")

    monkeypatch.setattr(restoring_module, "load", broken)
    with pytest.raises(Conflict):
        restore(installed.data, place / "backup.tar", force=True)

    installed.start()
    assert contents(installed.data) == before
    assert not stage_of(installed.data).root.exists()


def test_a_restore_that_is_killed_during_the_swap_is_finished_by_the_next_start(
    installed: Supervised, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half-way: the database is the new one, the secrets are still on their way. `test_staging` has every step."""
    backup(installed.data, place / "backup.tar")
    before = contents(installed.data)
    asyncio.run(_change(installed.data))
    installed.stop()

    class Killed(BaseException):
        pass

    real, done = Path.rename, 0

    def rename(self: Path, target: Path) -> Path:
        nonlocal done
        if self.name in staging_module.PARTS:
            done += 1
            if done == 4:
                raise Killed
        return real(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", rename)
        with pytest.raises(Killed):
            restore(installed.data, place / "backup.tar", force=True)

    assert finish_interrupted(installed.data)
    assert not finish_interrupted(installed.data)
    installed.start()
    assert contents(installed.data) == before


def test_a_backup_of_a_newer_argosy_is_refused(
    installed: Supervised, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking_module, "__version__", "99.0.0")
    backup(installed.data, place / "backup.tar")
    installed.stop()

    with pytest.raises(Conflict) as refused:
        restore(installed.data, place / "backup.tar", force=True)

    assert refused.value.code == "restore.newer"
