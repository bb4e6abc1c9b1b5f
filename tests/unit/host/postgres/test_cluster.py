"""Making a cluster, and refusing with three helpful lines what cannot be started."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from argosy.host.paths import DataDir
from argosy.host.postgres import cluster as cluster_module
from argosy.host.postgres.binaries import SETTING, find_binaries, usable_by
from argosy.host.postgres.cluster import prepare_cluster
from argosy.host.postgres.location import locate
from argosy.host.postgres.owner import Owner
from argosy.kit.errors import ArgosyError, NotFound


def refused(data: DataDir) -> ArgosyError:
    with pytest.raises(ArgosyError) as error:
        prepare_cluster(data, lambda _: None)
    assert error.value.message and error.value.cure
    assert "\n" not in error.value.message + error.value.cure
    return error.value


def test_preparing_twice_makes_one_cluster(data: DataDir) -> None:
    said: list[str] = []

    location, _ = prepare_cluster(data, said.append)
    made = (location.cluster / "PG_VERSION").stat().st_ino
    prepare_cluster(data, said.append)

    assert said == ["creating the database cluster"]
    assert (location.cluster / "PG_VERSION").stat().st_ino == made
    assert sorted(entry.name for entry in location.home.iterdir()) == ["cluster", "sockets"]


def test_a_cluster_trusts_nobody_and_listens_on_no_port(data: DataDir) -> None:
    location, _ = prepare_cluster(data, lambda _: None)

    access = (location.cluster / "pg_hba.conf").read_text()
    rules = [line.split() for line in access.splitlines() if line and not line.startswith("#")]
    assert rules == [["local", "all", "all", "scram-sha-256"]]
    assert "listen_addresses = ''" in (location.cluster / "postgresql.conf").read_text()
    for name in ("pg_hba.conf", "postgresql.conf", "local.conf"):
        assert (location.cluster / name).stat().st_mode & 0o777 == 0o600


def test_a_creation_that_was_interrupted_is_begun_anew(data: DataDir) -> None:
    location, _ = prepare_cluster(data, lambda _: None)
    unfinished = location.cluster.with_name("cluster.new")
    location.cluster.rename(unfinished)
    (unfinished / "PG_VERSION").unlink()

    prepare_cluster(data, lambda _: None)

    assert location.exists()
    assert not unfinished.exists()


def test_an_operators_own_settings_survive_and_ours_are_renewed(data: DataDir) -> None:
    location, _ = prepare_cluster(data, lambda _: None)
    (location.cluster / "local.conf").write_text("work_mem = 8MB\n")
    (location.cluster / "postgresql.conf").write_text("fsync = off\n")

    prepare_cluster(data, lambda _: None)

    assert (location.cluster / "local.conf").read_text() == "work_mem = 8MB\n"
    assert "fsync = on" in (location.cluster / "postgresql.conf").read_text()


def test_another_major_version_is_refused_and_left_alone(data: DataDir) -> None:
    location, _ = prepare_cluster(data, lambda _: None)
    (location.cluster / "PG_VERSION").write_text("16\n")

    error = refused(data)

    assert error.code == "postgres.version"
    assert "PostgreSQL 16" in error.message
    assert "argosy backup" in error.cure
    assert (location.cluster / "PG_VERSION").read_text() == "16\n"


def test_a_full_disk_is_said_before_anything_is_written(
    data: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "FREE_BYTES_FLOOR", 1 << 60)

    error = refused(data)

    assert error.code == "disk_full"
    assert not locate(data).exists()


def test_a_data_directory_that_cannot_be_written_is_said(place: Path) -> None:
    (place / "file").write_text("in the way")

    error = refused(DataDir(place / "file" / "argosy"))

    assert error.code == "data_dir.not_writable"
    assert "--data-dir" in error.cure


def test_a_place_where_nobody_may_write_is_said() -> None:
    assert refused(DataDir(Path("/sys/argosy"))).code == "data_dir.not_writable"  # not even root may


def test_missing_programs_are_said(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, str(place))

    with pytest.raises(NotFound) as error:
        find_binaries()

    assert SETTING in error.value.cure


def test_programs_in_a_closed_folder_are_copied_once_to_where_their_user_can_run_them(place: Path) -> None:
    import shutil

    found = find_binaries()
    closed = place / "closed"
    package = found.folder.parent.parent
    shutil.copytree(found.folder.parent, closed / package.name / found.folder.parent.name)
    shutil.copytree(package.with_name(f"{package.name}.libs"), closed / f"{package.name}.libs")
    hidden = type(found)(closed / package.name / found.folder.parent.name / "bin")
    closed.chmod(0o700)
    other = Owner(61999, 61999, switched=True)
    strict = os.umask(0o077)  # as `argosy up` sets it

    try:
        usable = usable_by(other, hidden, place)
    finally:
        os.umask(strict)

    assert other.may_enter(usable.folder)
    assert all(
        path.stat().st_mode & 0o004 for path in usable.folder.parent.rglob("*") if not path.is_symlink()
    )
    assert usable.version == found.version
    assert usable_by(other, hidden, place) == usable
    assert [entry.name for entry in place.iterdir() if entry.name.startswith(".")] == []
