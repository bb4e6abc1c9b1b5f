"""Where a cluster lies: reachable by its owner, private to it, with a socket that fits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from argosy.host.paths import DataDir
from argosy.host.postgres.location import locate, remove, settle, socket_folder
from argosy.kit.errors import Conflict

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def closed(place: Path) -> DataDir:
    parent = place / "closed"
    parent.mkdir(mode=0o700, exist_ok=True)
    return DataDir(parent / "argosy")


def test_the_socket_folder_is_private_to_the_owner(place: Path, shared: Path) -> None:
    location = settle(DataDir(place / "argosy"))

    assert location.sockets.stat().st_mode & 0o777 == 0o700
    assert location.sockets.stat().st_uid == location.owner.uid
    assert location.home.stat().st_mode & 0o777 == 0o700


def test_a_loosened_folder_is_closed_again(place: Path, shared: Path) -> None:
    data = DataDir(place / "argosy")
    settle(data).sockets.chmod(0o755)

    assert settle(data).sockets.stat().st_mode & 0o777 == 0o700


def test_settling_twice_finds_the_same_place(place: Path, shared: Path) -> None:
    data = closed(place)

    assert settle(data) == settle(data) == locate(data)


@pytest.mark.parametrize("depth", [1, 40, 76, 77, 200])
def test_the_socket_always_fits_into_its_107_bytes(depth: int) -> None:
    wanted = Path("/" + "d" * depth) / "sockets"

    chosen = socket_folder(wanted)

    assert len(os.fsencode(chosen / ".s.PGSQL.5432")) <= 107
    assert (chosen == wanted) is (depth <= 84)


def test_two_deep_data_directories_have_two_sockets() -> None:
    assert socket_folder(Path("/" + "a" * 200)) != socket_folder(Path("/" + "b" * 200))


@as_root
def test_as_root_an_open_data_directory_holds_its_cluster_and_lets_only_its_owner_through(
    place: Path, shared: Path
) -> None:
    data = DataDir(place / "argosy")

    location = settle(data)

    assert location.home == data.postgres
    assert not data.postgres.is_symlink()
    assert data.root.stat().st_mode & 0o777 == 0o710
    assert data.root.stat().st_gid == location.owner.gid
    assert location.owner.uid != 0
    assert location.owner.may_enter(location.home)
    assert not shared.exists()


@as_root
def test_as_root_a_closed_data_directory_keeps_its_cluster_elsewhere_until_it_is_removed(
    place: Path, shared: Path
) -> None:
    data = closed(place)

    location = settle(data)

    assert data.postgres.is_symlink()
    assert location.home.is_relative_to(shared)
    remove(data)
    assert not data.postgres.is_symlink()
    assert list(shared.iterdir()) == []


@as_root
def test_as_root_a_moved_data_directory_keeps_its_cluster(place: Path, shared: Path) -> None:
    before = closed(place)
    home = settle(before).home
    after = DataDir(before.root.with_name("moved"))
    before.root.rename(after.root)

    assert settle(after).home == home


@as_root
def test_as_root_a_copied_data_directory_is_refused_its_originals_cluster(place: Path, shared: Path) -> None:
    original = closed(place)
    settle(original)
    copy = DataDir(original.root.with_name("copy"))
    copy.create()
    copy.postgres.symlink_to(original.postgres.readlink())

    with pytest.raises(Conflict) as refused:
        settle(copy)

    assert refused.value.code == "postgres.claimed"
    assert "backup" in refused.value.cure


@as_root
def test_as_root_a_lost_cluster_is_said_and_not_replaced_by_an_empty_one(place: Path, shared: Path) -> None:
    data = closed(place)
    home = settle(data).home
    (home / "sockets").rmdir()
    home.rmdir()

    with pytest.raises(Conflict) as refused:
        settle(data)

    assert refused.value.code == "postgres.gone"


@as_root
def test_as_root_a_socket_folder_that_somebody_else_made_is_not_trusted(place: Path, shared: Path) -> None:
    data = closed(place)
    location = settle(data)
    os.chown(location.sockets, 65534, 65534)

    with pytest.raises(Conflict) as refused:
        settle(data)

    assert refused.value.code == "postgres.foreign_folder"
