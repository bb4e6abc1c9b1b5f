"""Unpacks archives from elsewhere: bounded whatever they claim, only plain files, and never out of the folder."""

from __future__ import annotations

import gzip
import posixpath
import tarfile
import zlib
from pathlib import Path
from typing import BinaryIO

from argosy.argo.cd.repositories.fetching import FetchFailed

_MOST_FILES, _MOST_BYTES = 10_000, 256 * 1024 * 1024
_MOST_AT_ONCE = 64 * 1024 * 1024
_GZIP = b"\x1f\x8b"


class _Bounded:
    """Counts what was unpacked: headers of an archive may be a bomb too."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._left = stream, _MOST_BYTES

    def read(self, size: int) -> bytes:
        self._left -= size
        if size > _MOST_AT_ONCE or self._left < 0:
            raise FetchFailed(f"the archive unpacks to more than {_MOST_BYTES // 2**20} MB")
        return self._stream.read(size)


def unpack(archive: Path, into: Path) -> None:
    into.mkdir(parents=True)
    try:
        with archive.open("rb") as file:
            packed = file.read(2) == _GZIP
            file.seek(0)
            stream: BinaryIO = gzip.GzipFile(fileobj=file) if packed else file  # type: ignore[assignment] # it reads
            with tarfile.open(fileobj=_Bounded(stream), mode="r|") as tar:  # type: ignore[call-overload] # only reads
                for number, member in enumerate(tar):
                    if number >= _MOST_FILES:
                        raise FetchFailed(f"the archive has more than {_MOST_FILES} files")
                    _member(tar, member, into)
    except (tarfile.TarError, EOFError, OSError, zlib.error, ValueError) as error:
        raise FetchFailed(f"the archive cannot be unpacked: {error}") from error


def _member(tar: tarfile.TarFile, member: tarfile.TarInfo, into: Path) -> None:
    """Links and devices are left out: a chart needs none."""
    name = posixpath.normpath(member.name)
    if name.startswith(("/", "../")) or name == "..":
        raise FetchFailed(f"the archive has a file outside of itself: {member.name[:200]!r}")
    target = into / name
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
    elif member.isreg() and not member.issparse():
        target.parent.mkdir(parents=True, exist_ok=True)
        source = tar.extractfile(member)
        assert source is not None
        with target.open("wb") as file:
            while piece := source.read(1 << 20):
                file.write(piece)
