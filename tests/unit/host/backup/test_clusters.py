"""Embedded clusters in a backup of a stopped installation. `tests/faults/test_clusters_backup` has the running ones."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from argosy.host.backup import archive, backup, preview, restore
from argosy.host.backup import taking as taking_module
from argosy.host.backup.manifest import FORMAT
from argosy.host.clusters.home import Home, Settings, homes
from argosy.host.lifecycle import hand_over
from argosy.host.paths import DataDir
from argosy.kit import backups
from argosy.kit.errors import Conflict
from argosy.kube.objects import Key
from argosy.kube.server.store import Store
from tests.supervised_postgres import Supervised


def cluster(data: DataDir, name: str, *objects: str) -> Home:
    """Not one that serves: what a backup sees of it."""
    home = Home(data.clusters / name)
    home.keys.mkdir(mode=0o700, parents=True)
    home.keep(Settings(port=40_000 + len(name), created="2026-11-19T12:00:00Z"))
    home.write_kubeconfig(f"of {name}")
    for key in ("ca.pem", "signing.pem"):
        (home.keys / key).write_text(f"{key} of {name}")
    (home.keys / ".draft").write_text("unfinished")
    asyncio.run(_write(home, objects))
    return home


async def _write(home: Home, objects: tuple[str, ...]) -> None:
    store = await Store.open(home.objects)
    for name in objects:
        await store.stage(Key("pods", "default", name), store.reserve(), b'{"name":"%s"}' % name.encode())
    await store.close()


def contents(data: DataDir) -> dict[str, object]:
    return {
        home.name: (
            {path.name: text for path, text in home.plain_files().items()},
            asyncio.run(_objects(home)),
        )
        for home in homes(data)
    }


async def _objects(home: Home) -> list[bytes]:
    store = await Store.open(home.objects)
    found = [state.body for state in store.list("pods")]
    await store.close()
    return found


def test_clusters_come_back_into_an_empty_directory(installed: Supervised, place: Path) -> None:
    installed.stop()
    cluster(installed.data, "local", "web", "db")
    cluster(installed.data, "staging")
    before = contents(installed.data)

    manifest = backup(installed.data, place / "backup.tar")
    restore(DataDir(place / "other"), place / "backup.tar")

    assert manifest.clusters == ["local", "staging"]
    assert contents(DataDir(place / "other")) == before
    for path in (place / "other" / "clusters").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
        assert path.name not in (".draft", archive.OBJECTS)


def test_clusters_that_are_there_are_named_and_replaced_when_forced(
    installed: Supervised, place: Path
) -> None:
    installed.stop()
    home = cluster(installed.data, "local", "web")
    backup(installed.data, place / "backup.tar")
    before = contents(installed.data)
    asyncio.run(_write(home, ("made-later",)))
    cluster(installed.data, "made-later")

    assert preview(installed.data)[-1] == "the embedded clusters (local, made-later)"
    restore(installed.data, place / "backup.tar", force=True)

    assert contents(installed.data) == before


@pytest.mark.parametrize(("broken", "said"), [(b"no database " * 99, "is damaged"), (None, "is missing")])
def test_a_cluster_that_cannot_be_read_is_left_out_and_named(
    installed: Supervised, place: Path, broken: bytes | None, said: str
) -> None:
    installed.stop()
    cluster(installed.data, "local", "web")
    objects = cluster(installed.data, "staging").objects
    if broken is None:
        objects.unlink()
    else:
        objects.write_bytes(broken)
    told: list[str] = []

    manifest = backup(installed.data, place / "backup.tar", told.append)
    restore(DataDir(place / "other"), place / "backup.tar", report=told.append)

    assert manifest.clusters == ["local"]
    assert said in manifest.left_out["staging"]
    assert not any("staging" in name for name in manifest.members)
    assert [home.name for home in homes(DataDir(place / "other"))] == ["local"]
    assert [line for line in told if line.startswith("not included, the embedded cluster staging: ")]
    assert [line for line in told if line.startswith("not in this backup, the embedded cluster staging: ")]


def test_a_backup_without_a_broken_cluster_is_written_noted_and_ends_as_a_failure(
    installed: Supervised, place: Path
) -> None:
    installed.stop()
    cluster(installed.data, "local", "web").objects.write_bytes(b"no database " * 99)

    with pytest.raises(Conflict) as incomplete:
        hand_over.backup(installed.data, place / "backup.tar")

    assert incomplete.value.code == "backup.incomplete"
    assert "local" in incomplete.value.message
    [noted] = backups.noted(installed.data.root)
    assert (noted.file, noted.clusters, noted.left_out) == (str(place / "backup.tar"), [], ["local"])


def test_a_backup_from_before_clusters_were_in_it_leaves_those_that_are_there(
    installed: Supervised, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed.stop()
    monkeypatch.setattr(taking_module, "FORMAT", FORMAT - 1)
    backup(installed.data, place / "old.tar")
    cluster(installed.data, "local", "web")
    before = contents(installed.data)
    told: list[str] = []

    restore(installed.data, place / "old.tar", force=True, report=told.append)
    restore(DataDir(place / "other"), place / "old.tar")

    assert contents(installed.data) == before
    assert any("stay as they are" in line for line in told)
    assert homes(DataDir(place / "other")) == []
