"""Unpacks archives from elsewhere: bounded, only plain files, and never out of the folder."""

from __future__ import annotations

import posixpath
import tarfile
from pathlib import Path

from argosy.argo.cd.repositories.fetching import FetchFailed

_MOST_FILES, _MOST_BYTES = 10_000, 256 * 1024 * 1024


def unpack(archive: Path, into: Path) -> None:
    into.mkdir(parents=True)
    left = _MOST_BYTES
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for number, member in enumerate(tar):
                left -= member.size
                if number >= _MOST_FILES or left < 0:
                    raise FetchFailed(
                        f"the archive has more than {_MOST_FILES} files or unpacks to more than {_MOST_BYTES // 2**20} MB"
                    )
                _member(tar, member, into)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise FetchFailed(f"the archive cannot be unpacked: {error}") from error


def _member(tar: tarfile.TarFile, member: tarfile.TarInfo, into: Path) -> None:
    """Links and devices are left out: a chart needs none."""
    name = posixpath.normpath(member.name)
    if name.startswith(("/", "../")) or name == "..":
        raise FetchFailed(f"the archive has a file outside of itself: {member.name!r}")
    target = into / name
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
    elif member.isreg():
        target.parent.mkdir(parents=True, exist_ok=True)
        source = tar.extractfile(member)
        assert source is not None
        target.write_bytes(source.read())
