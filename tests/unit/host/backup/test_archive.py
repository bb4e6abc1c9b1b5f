"""The file's form: whatever is not exactly as it was written is refused, whoever wrote it."""

from __future__ import annotations

import io
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from argosy.host.backup import archive
from argosy.host.backup.manifest import Manifest
from argosy.kit.errors import ArgosyError, NotFound

CONTENT = {
    archive.DUMP: b"d" * 3000,
    "secrets/a/key.pem": b"a key",
    "anchors/one": b"",
    "settings.yaml": b"up: {}",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with (tmp_path / "backup.tar").open("w+b") as stream:
        writer = archive.Writer(stream, 0)
        for name, content in CONTENT.items():
            writer.add(name, [content[:10], content[10:]])
        writer.finish(manifest(writer))
    return tmp_path / "backup.tar"


def manifest(writer: archive.Writer, version: int = 1) -> Manifest:
    taken = datetime(2026, 1, 1, tzinfo=UTC)
    return Manifest(version, "1.0", "18.4", taken, ["identity"], [], dict(writer.members))


def refusal(file: Path) -> ArgosyError:
    with pytest.raises(ArgosyError) as refused:
        archive.read(file)
    assert refused.value.cure
    assert "\n" not in refused.value.message
    return refused.value


def test_what_was_written_is_read_and_unpacked_privately(file: Path, tmp_path: Path) -> None:
    read = archive.read(file)

    archive.unpack(file, tmp_path / "out", read)

    found = {path.relative_to(tmp_path / "out").as_posix(): path for path in (tmp_path / "out").rglob("*.*")}
    assert {name: path.read_bytes() for name, path in found.items() if path.is_file()} == {
        name: CONTENT[name] for name in ("secrets/a/key.pem", "settings.yaml")
    }
    assert all(path.stat().st_mode & 0o077 == 0 for path in found.values())
    with archive.member(file, archive.DUMP) as dump:
        assert dump.read() == CONTENT[archive.DUMP]


@pytest.mark.parametrize("name", [*CONTENT, "manifest.json", "manifest.sha256"])
def test_one_changed_bit_of_any_member_is_noticed(file: Path, name: str) -> None:
    with tarfile.open(file) as tar:
        member = tar.getmember(name)
    raw = bytearray(file.read_bytes())
    raw[member.offset_data if member.size else member.offset] ^= 1
    file.write_bytes(raw)

    assert refusal(file).code == "backup.damaged"


def test_a_file_that_was_cut_off_anywhere_is_noticed(file: Path) -> None:
    whole = file.read_bytes()
    with tarfile.open(file) as tar:
        last = tar.getmember("manifest.sha256")
    for size in range(0, last.offset_data + last.size, 100):
        file.write_bytes(whole[:size])

        assert refusal(file).code == "backup.damaged"


@pytest.mark.parametrize(
    "name",
    ["../outside", "/etc/outside", "secrets/../../x", "run/x", "secrets//x", ".", "secrets", "secrets/added"],
)
def test_a_member_that_no_backup_has_is_refused(file: Path, name: str) -> None:
    with tarfile.open(file, "a") as tar:
        tar.addfile(tarfile.TarInfo(name))

    assert refusal(file).code == "backup.damaged"


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
def test_only_regular_files_are_accepted(file: Path, kind: bytes) -> None:
    entry = tarfile.TarInfo("secrets/entry")
    entry.type, entry.linkname = kind, "../../etc/passwd"
    with tarfile.open(file, "a") as tar:
        tar.addfile(entry)

    assert refusal(file).code == "backup.damaged"


def test_a_member_that_comes_twice_is_refused(file: Path) -> None:
    entry = tarfile.TarInfo("settings.yaml")
    entry.size = 2
    with tarfile.open(file, "a") as tar:
        tar.addfile(entry, io.BytesIO(b"{}"))

    assert refusal(file).code == "backup.damaged"


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8b\x08 not ours", bytes(4096)])
def test_what_is_no_backup_is_refused(file: Path, content: bytes) -> None:
    file.write_bytes(content)

    assert refusal(file).code == "backup.damaged"


def test_a_backup_of_a_later_format_says_which_program_reads_it(tmp_path: Path) -> None:
    with (tmp_path / "later.tar").open("w+b") as stream:
        writer = archive.Writer(stream, 0)
        writer.finish(manifest(writer, version=3))

    assert refusal(tmp_path / "later.tar").code == "backup.format"


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        archive.read(tmp_path / "nothing.tar")
