"""Archives from elsewhere are unpacked inside of their folder and within limits, whatever they claim."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from argosy.argo.cd.repositories import archives
from argosy.argo.cd.repositories.archives import unpack
from argosy.argo.cd.repositories.fetching import FetchFailed
from tests.unit.argo.cd.repositories.world import packed


def unpacked(folder: Path, data: bytes) -> dict[str, bytes]:
    archive = folder / "a.tgz"
    archive.write_bytes(data)
    unpack(archive, folder / "into")
    return {
        str(one.relative_to(folder / "into")): one.read_bytes()
        for one in (folder / "into").rglob("*")
        if one.is_file()
    }


def members(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    said = io.BytesIO()
    with tarfile.open(fileobj=said, mode="w:gz") as tar:
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return said.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname = kind, target
    return found


@pytest.mark.parametrize("compressed", [True, False])
def test_files_come_out_as_they_went_in(tmp_path: Path, compressed: bool) -> None:
    files = {"web/Chart.yaml": b"x", "web/a/b/c.txt": b"y" * 100_000, "./web/d": b""}
    found = unpacked(tmp_path, packed(files, compressed=compressed))
    assert found == {"web/Chart.yaml": b"x", "web/a/b/c.txt": b"y" * 100_000, "web/d": b""}


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/x", "..", "a/../../../x"])
def test_a_file_outside_of_the_archive_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(FetchFailed, match="a file outside of itself"):
        unpacked(tmp_path, packed({name: "x"}))
    assert [one.name for one in tmp_path.iterdir()] == ["a.tgz", "into"] or not (tmp_path / "x").exists()


def test_links_and_devices_are_left_out_and_nothing_is_written_through_them(tmp_path: Path) -> None:
    data = members(
        (member("out", tarfile.SYMTYPE, str(tmp_path)), b""),
        (member("hard", tarfile.LNKTYPE, "/etc/passwd"), b""),
        (member("fifo", tarfile.FIFOTYPE), b""),
        (member("device", tarfile.CHRTYPE), b""),
        (member("out/evil"), b"x"),
    )
    assert unpacked(tmp_path, data) == {"out/evil": b"x"}
    assert not (tmp_path / "evil").exists()


def test_a_bomb_is_stopped_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MOST_BYTES", 1_000_000)
    with pytest.raises(FetchFailed, match="unpacks to more than"):
        unpacked(tmp_path, packed({"x": b"\0" * 3_000_000}))
    assert sum(one.stat().st_size for one in (tmp_path / "into").rglob("*")) <= 1_000_000


def test_a_bomb_in_a_header_is_stopped(tmp_path: Path) -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 8 * 2**30
    data = gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + b"\0" * 10_000_000)
    with pytest.raises(FetchFailed, match="unpacks to more than 256 MB|cannot be unpacked"):
        unpacked(tmp_path, data)


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MOST_FILES", 5)
    with pytest.raises(FetchFailed, match="more than 5 files"):
        unpacked(tmp_path, packed({str(number): "" for number in range(6)}))


@pytest.mark.parametrize(
    "data",
    [b"", b"hello", b"\x1f\x8b", gzip.compress(b"hello"), packed({"a": b"x" * 10_000})[:-50]],
    ids=["nothing", "text", "a beginning", "packed text", "cut off"],
)
def test_what_is_no_archive_is_said(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(FetchFailed, match="the archive cannot be unpacked"):
        unpacked(tmp_path, data)
