"""The objects of one repository, read through a `git cat-file` that lives as long as its reader.

`Reader` blocks and is for workers: a renderer reads straight from the bare mirror, without a checkout. It keeps parsed folders by their
hash, so that what two commits have in common is read once. `objects` is the same for an event loop.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self, TypeAlias

from argosy.kit.git.environment import environment
from argosy.kit.git.failing import Failure, GitFailed
from argosy.kit.git.running import MEGABYTE, command, no_program

Kind: TypeAlias = Literal["file", "folder", "link", "submodule"]

READ_ONLY: Final = ("cat-file", "--batch-command")
_FOLDERS_KEPT = 20_000
_FOLDER_LIMIT = 16 * MEGABYTE
_COMMIT_LIMIT = 4 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Entry:
    kind: Kind
    oid: str
    executable: bool = False


Folder: TypeAlias = Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Header:
    """What `cat-file` says of an object before its content."""

    oid: str
    type: str
    size: int


class Reader:
    """Not for two threads at once."""

    def __init__(self, repository: Path) -> None:
        self.repository = repository
        self._git: subprocess.Popen[bytes] | None = None
        self._folders: dict[str, Folder] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._git is None:
            return
        git, self._git = self._git, None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(git.pid, signal.SIGKILL)
        for pipe in (git.stdin, git.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        git.wait()

    def folder(self, oid: str) -> Folder:
        if (known := self._folders.get(oid)) is None:
            known = folder_entries(self.content(oid, "tree", _FOLDER_LIMIT))
            if len(self._folders) >= _FOLDERS_KEPT:
                self._folders.clear()
            self._folders[oid] = known
        return known

    def file(self, oid: str, limit: int) -> bytes:
        return self.content(oid, "blob", limit)

    def tree_of(self, commit: str) -> str:
        return tree_of(self.content(commit, "commit", _COMMIT_LIMIT))

    def content(self, oid: str, type_: str, limit: int) -> bytes:
        """A process that died meanwhile (its mirror was made anew) is started again, once."""
        try:
            return self._content(oid, type_, limit)
        except (BrokenPipeError, EOFError):
            self.close()
        try:
            return self._content(oid, type_, limit)
        except (BrokenPipeError, EOFError):
            self.close()
            raise damaged(self.repository) from None

    def _content(self, oid: str, type_: str, limit: int) -> bytes:
        git = self._running()
        assert git.stdin is not None
        assert git.stdout is not None
        git.stdin.write(f"contents {oid}\n".encode())
        git.stdin.flush()
        header = read_header(git.stdout.readline(), self.repository)
        try:
            judge(header, type_, limit)
        except GitFailed:
            self.close()  # the content that nobody wants is on its way
            raise
        content = git.stdout.read(header.size)
        if len(content) < header.size or git.stdout.read(1) != b"\n":
            raise EOFError
        return content

    def _running(self) -> subprocess.Popen[bytes]:
        if self._git is None:
            try:
                self._git = subprocess.Popen(
                    command(*READ_ONLY, repository=self.repository),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=environment(repository=self.repository),
                    cwd="/",
                    start_new_session=True,
                )
            except FileNotFoundError as error:
                raise no_program() from error
        return self._git


def read_header(line: bytes, repository: Path) -> Header:
    """`<oid> <type> <size>`, or `<what was asked> missing`."""
    if not line.endswith(b"\n"):
        raise EOFError
    words = line.decode(errors="replace").split()
    if len(words) == 3 and words[2].isdigit():
        return Header(words[0], words[1], int(words[2]))
    raise GitFailed(
        f"{repository.name} has no object {words[0] if words else ''!r}",
        code=Failure.UNKNOWN_REVISION,
        cure="fetch the commit first; after a force push it may be gone",
    )


def judge(header: Header, type_: str, limit: int) -> None:
    if header.type != type_:
        raise GitFailed(f"{header.oid[:12]} is a {header.type}, not a {type_}", code=Failure.UNKNOWN_REVISION)
    if header.size > limit:
        raise too_large(header.size, limit)


def too_large(size: int, limit: int) -> GitFailed:
    return GitFailed(
        f"{size / MEGABYTE:.1f} MiB is more than the {limit / MEGABYTE:g} MiB that are read",
        code=Failure.TOO_LARGE,
        cure="keep such files out of the repository",
    )


def damaged(repository: Path) -> GitFailed:
    return GitFailed(
        f"the repository {repository.name} cannot be read",
        code=Failure.DAMAGED,
        cure="it is fetched anew by itself",
    )


def folder_entries(content: bytes) -> dict[str, Entry]:
    """A tree object: `<mode> <name>\\0<20 bytes>` again and again."""
    entries: dict[str, Entry] = {}
    at, end = 0, len(content)
    while at < end:
        space = content.index(b" ", at)
        zero = content.index(b"\0", space)
        mode, name = content[at:space], content[space + 1 : zero].decode("utf-8", "surrogateescape")
        oid = content[zero + 1 : zero + 21].hex()
        entries[name] = entry(mode.decode(), oid)
        at = zero + 21
    return entries


def entry(mode: str, oid: str) -> Entry:
    match mode.lstrip("0")[:2]:
        case "40" | "4":
            return Entry("folder", oid)
        case "12":
            return Entry("link", oid)
        case "16":
            return Entry("submodule", oid)
        case _:
            return Entry("file", oid, executable=mode.endswith("755"))


def tree_of(commit: bytes) -> str:
    return commit.partition(b"\n")[0].removeprefix(b"tree ").decode()
