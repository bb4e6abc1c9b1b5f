"""The file: a plain tar, so that a person can look inside without us, with the manifest at its end.

Members are streamed and hashed on the way; the dump's size is known only afterwards, so its header is written
last. `read` trusts nothing: names, kinds, sizes and digests are checked before anybody unpacks anything.
"""

from __future__ import annotations

import hashlib
import os
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from argosy.host.backup.manifest import Manifest, Member, damaged, decode, encode
from argosy.kit.errors import NotFound

DUMP = "database.dump"
OBJECTS = "objects.jsonl"  # of each cluster
_MANIFEST = "manifest.json"
_DIGEST = "manifest.sha256"
_CHUNK = 1024 * 1024
_BLOCK = tarfile.BLOCKSIZE
_MANIFEST_LIMIT = 16 * 1024 * 1024


class Writer:
    """Appends members to an open, seekable file."""

    def __init__(self, stream: BinaryIO, taken: float) -> None:
        self._stream = stream
        self._taken = int(taken)
        self.members: dict[str, Member] = {}

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        """Whole, or not at all when its chunks break off."""
        start = self._stream.tell()
        try:
            self._append(start, name, chunks)
        except BaseException:
            self._stream.seek(start)
            self._stream.truncate()
            raise

    def _append(self, start: int, name: str, chunks: Iterable[bytes]) -> None:
        self._stream.write(bytes(_BLOCK))
        digest, size = hashlib.sha256(), 0
        for chunk in chunks:
            self._stream.write(chunk)
            digest.update(chunk)
            size += len(chunk)
        self._stream.write(bytes(-size % _BLOCK))
        end = self._stream.tell()
        self._stream.seek(start)
        self._stream.write(self._header(name, size))
        self._stream.seek(end)
        self.members[name] = Member(size, digest.hexdigest())

    def finish(self, manifest: Manifest) -> None:
        raw = encode(manifest)
        self.add(_MANIFEST, [raw])
        self.add(_DIGEST, [hashlib.sha256(raw).hexdigest().encode()])
        self._stream.write(bytes(2 * _BLOCK))

    def _header(self, name: str, size: int) -> bytes:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode, entry.mtime = size, 0o600, self._taken
        header = entry.tobuf(tarfile.USTAR_FORMAT if size < 1 << 33 else tarfile.GNU_FORMAT)
        if len(header) != _BLOCK:
            raise ValueError(f"{name} does not fit into one header")  # our own names are short
        return header


def read(file: Path) -> Manifest:
    """Reads the whole file once and answers its manifest if every byte is as it was written."""
    found: dict[str, Member] = {}
    texts: dict[str, bytes] = {}
    with _opened(file) as tar:
        for entry in _entries(tar):
            if entry.name in found or entry.name in texts:
                raise damaged(f"it holds {entry.name} twice")
            # Before anything of it is opened: a link would be followed.
            content = tar.extractfile(entry) if _is_safe(entry) else None
            if content is None:
                raise damaged(f"it holds {entry.name!r}, which no backup has")
            if entry.name in (_MANIFEST, _DIGEST):
                texts[entry.name] = content.read(_MANIFEST_LIMIT)
            else:
                found[entry.name] = _hashed(content)
    if _MANIFEST not in texts or _DIGEST not in texts:
        raise damaged("it ends before its manifest")
    manifest = decode(texts[_MANIFEST], texts[_DIGEST].decode("ascii", "replace"))
    for name in sorted(manifest.members.keys() ^ found.keys()):
        raise damaged(f"{name} is {'missing' if name in manifest.members else 'not in its manifest'}")
    for name, member in manifest.members.items():
        if found[name] != member:
            raise damaged(f"{name} is not what was written")
    return manifest


@contextmanager
def member(file: Path, name: str) -> Iterator[IO[bytes]]:
    """One member of a file that `read` has accepted."""
    with _opened(file) as tar:
        content = tar.extractfile(name)
        if content is None:
            raise damaged(f"{name} is missing")
        yield content


def unpack(file: Path, target: Path, manifest: Manifest) -> None:
    """Every member that is a file as it stands, private, below `target`; not the dump, nor what clusters hold."""
    with _opened(file) as tar:
        for name in manifest.members:
            plain = name != DUMP and PurePosixPath(name).name != OBJECTS
            content = tar.extractfile(name) if plain else None
            if content is None:
                continue
            path = target / name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "wb") as stream:
                while chunk := content.read(_CHUNK):
                    stream.write(chunk)
                stream.flush()
                os.fsync(stream.fileno())


@contextmanager
def _opened(file: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(file, "r:") as tar:
            yield tar
    except FileNotFoundError as error:
        raise NotFound(
            f"there is no file {file}", code="backup.no_file", cure="look at the path of the backup"
        ) from error
    except (tarfile.TarError, EOFError) as error:
        raise damaged(f"it is no archive, or not a whole one ({error})") from error


def _entries(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    while (entry := tar.next()) is not None:
        yield entry


def _is_safe(entry: tarfile.TarInfo) -> bool:
    if not entry.isreg():
        return False
    if entry.name in (DUMP, "settings.yaml", _MANIFEST, _DIGEST):
        return True
    path = PurePosixPath(entry.name)
    return (
        len(path.parts) > 1
        and path.parts[0] in ("secrets", "anchors", "clusters", "git")
        and ".." not in path.parts
        and str(path) == entry.name
    )


def _hashed(content: IO[bytes]) -> Member:
    digest, size = hashlib.sha256(), 0
    while chunk := content.read(_CHUNK):
        digest.update(chunk)
        size += len(chunk)
    return Member(size, digest.hexdigest())
