"""The files of one commit as `manifests.tree.Tree` wants them: read-only, without a checkout, links followed but never out of the repository.

Made wherever a source is rendered, in a worker, over the worker's `Reader` of the mirror. A digest is Git's own hash, so it costs no
reading; only a folder with links in it is hashed together with what they point to. Submodules are other repositories: without somebody who
brings them (`submodules`) they are refused by name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NoReturn

from argosy.kit.git.failing import GitFailed
from argosy.kit.git.reading import Entry, Folder, Reader
from argosy.kit.git.running import MEGABYTE

FILE_LIMIT: Final = 32 * MEGABYTE
_HOPS = 40
_LINK_LIMIT = 4096


class Refused(Exception):
    """Why a path cannot be read, in words for whoever wrote it."""


class Missing(Refused):
    """Nothing is there."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads once its links are followed."""

    path: str
    entry: Entry
    tree: GitTree


class GitTree:
    """`missing` and `refused` are what the caller's protocol promises to raise."""

    def __init__(
        self,
        reader: Reader,
        commit: str,
        *,
        submodules: Mapping[str, GitTree] | None = None,
        missing: type[Exception] = Missing,
        refused: type[Exception] = Refused,
        file_limit: int = FILE_LIMIT,
    ) -> None:
        self.commit = commit
        self.reader = reader
        self.root = Entry("folder", reader.tree_of(commit))
        self._submodules = {} if submodules is None else submodules
        self._missing = missing
        self._refused = refused
        self._file_limit = file_limit

    def form(self, path: str) -> Literal["file", "folder"] | None:
        place = self.place(path)
        if place is None:
            return None
        return "file" if place.entry.kind == "file" else "folder"

    def read(self, path: str) -> bytes:
        place = self._present(path)
        if place.entry.kind != "file":
            raise self._refused(f"{path or 'the root'} is a folder, not a file")
        try:
            return place.tree.reader.file(place.entry.oid, self._file_limit)
        except GitFailed as error:
            raise self._refused(f"{path}: {error.message}") from error

    def names(self, path: str) -> list[str]:
        return sorted(self.folder(path))

    def folder(self, path: str) -> Folder:
        place = self._present(path)
        if place.entry.kind == "file":
            raise self._refused(f"{path} is a file, not a folder")
        return place.tree.entries(place)

    def digest(self, path: str) -> str:
        place = self.place(path)
        if place is None:
            return ""
        if place.entry.kind == "file":
            return place.entry.oid
        below = sorted(self._everything_below(place))
        if len(below) == 1:
            return place.entry.oid
        text = "\0".join(f"{path}\0{oid}" for path, oid in below)
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

    def is_link(self, path: str) -> bool:
        above, _, name = path.strip("/").rpartition("/")
        place = self.place(above)
        if place is None or place.entry.kind == "file":
            return False
        found = place.tree.entries(place).get(name)
        return found is not None and found.kind == "link"

    def place(self, path: str) -> Place | None:
        """None: nothing is there. Raises for a link that leads outside, and for one that leads to itself."""
        ahead = [part for part in reversed(path.split("/")) if part]
        behind: list[Entry] = []
        names: list[str] = []
        hops = 0
        while ahead:
            name = ahead.pop()
            if name in {"", "."}:
                continue
            if name == "..":
                if not names:
                    self._outside(path)
                names.pop()
                behind.pop()
                continue
            here = behind[-1] if behind else self.root
            if here.kind == "submodule":
                rest = "/".join([name, *reversed(ahead)])
                return self._submodule("/".join(names), here).place(rest)
            if here.kind != "folder" or (found := self.reader.folder(here.oid).get(name)) is None:
                return None
            if found.kind != "link":
                names.append(name)
                behind.append(found)
                continue
            hops += 1
            if hops > _HOPS:
                raise self._refused(f"{path}: its symbolic links lead in a circle")
            target = self._target(found, path)
            ahead.extend(part for part in reversed(target.split("/")) if part)
        return Place("/".join(names), behind[-1] if behind else self.root, self)

    def walk(self, path: str = "") -> Iterator[tuple[str, Entry]]:
        """Everything below a folder as it is stored, links not followed: path from the root, entry."""
        place = self._present(path)
        base = f"{place.path}/" if place.path else ""
        if place.entry.kind == "file":
            raise self._refused(f"{path} is a file, not a folder")
        pending = [(base, place.tree.entries(place))]
        while pending:
            above, entries = pending.pop()
            for name, entry in entries.items():
                yield above + name, entry
                if entry.kind == "folder":
                    pending.append((f"{above}{name}/", place.tree.reader.folder(entry.oid)))

    def entries(self, place: Place) -> Folder:
        if place.entry.kind != "submodule":
            return self.reader.folder(place.entry.oid)
        inside = self._submodule(place.path, place.entry)
        return inside.reader.folder(inside.root.oid)

    def _everything_below(self, place: Place) -> Iterator[tuple[str, str]]:
        """Path and hash of the folder, of whatever the links below it lead to, and of what is behind the links below that."""
        pending, seen = [place], set[tuple[str, str]]()
        while pending:
            one = pending.pop()
            key = (one.path if one.tree is self else f"{id(one.tree)}:{one.path}", one.entry.oid)
            if key in seen:
                continue
            seen.add(key)
            yield key
            if one.entry.kind == "folder":
                links = (path for path, entry in one.tree.walk(one.path) if entry.kind == "link")
                pending.extend(target for link in links if (target := one.tree.followed(link)))

    def followed(self, link: str) -> Place | None:
        """Also None for a link that leads astray: whoever reads it will hear why, and its text counts through the folder's hash."""
        try:
            return self.place(link)
        except self._refused:
            return None

    def _target(self, link: Entry, path: str) -> str:
        try:
            target = self.reader.file(link.oid, _LINK_LIMIT).decode("utf-8", "surrogateescape")
        except GitFailed as error:
            raise self._refused(f"{path}: {error.message}") from error
        if target.startswith("/"):
            self._outside(path)
        return target

    def _present(self, path: str) -> Place:
        place = self.place(path)
        if place is None:
            raise self._missing(f"{path or 'the root'} does not exist in commit {self.commit[:12]}")
        return place

    def _submodule(self, path: str, entry: Entry) -> GitTree:
        inside = self._submodules.get(path)
        if inside is None or inside.commit != entry.oid:
            raise self._refused(f"{path} is a Git submodule that was not fetched; only its name is here")
        return inside

    def _outside(self, path: str) -> NoReturn:
        raise self._refused(f"{path} leads out of the repository: a symbolic link must stay inside")
