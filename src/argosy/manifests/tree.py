"""The files a source is rendered from: read-only, inside one repository, and remembered.

Renderers read nothing but a `Tree`. What they read is recorded as `Inputs`, so that a later commit in which all of that is the same needs no
second rendering. The trees themselves are made by whoever has the files: a commit of a bare mirror, an unpacked chart, a folder of a test.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, TypeVar

Form: TypeAlias = Literal["file", "folder"]
_LINK = "link"
_Error = TypeVar("_Error", bound=Exception)


class SourceError(Exception):
    """Why a source cannot be rendered, in words for the person who wrote it: what, where, what to do."""


class MissingPath(SourceError):
    """Nothing is there."""


def cause(error: BaseException | None, kind: type[_Error]) -> _Error | None:
    """Whether an error comes from one of that kind in the end: renderers say more around what a tree raised."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error


class Tree(Protocol):
    """Paths are relative to the repository's root, with `/`, without `.` and `..`; the root is the empty path. Symbolic links are
    followed by the tree itself, and never out of it: one that leads outside raises `SourceError`."""

    def form(self, path: str) -> Form | None:
        """None: nothing is there."""

    def read(self, path: str) -> bytes:
        """Raises `MissingPath`, or `SourceError` for a folder and for a file over the limit."""

    def names(self, path: str) -> list[str]:
        """What is in a folder, sorted. Raises `MissingPath`."""

    def digest(self, path: str) -> str:
        """Equal while the content is: of a file its bytes, of a folder everything below it. Empty: nothing is there."""

    def is_link(self, path: str) -> bool:
        """Whether the last name of the path is a symbolic link, wherever it leads."""


Inputs: TypeAlias = dict[str, str]
"""What was read: path → digest, empty for what was looked for and not there. A trailing `/` marks a listing: only its names count;
a trailing `//` whether it is a link."""


@dataclass(slots=True)
class Recorded:
    """A tree that remembers what was asked of it."""

    tree: Tree
    inputs: Inputs = field(default_factory=dict)

    def form(self, path: str) -> Form | None:
        found = self.tree.form(path)
        if found != "folder":  # of a folder only what is read inside it counts
            self.inputs[path] = self.tree.digest(path)
        return found

    def read(self, path: str) -> bytes:
        self.inputs[path] = self.tree.digest(path)
        return self.tree.read(path)

    def names(self, path: str) -> list[str]:
        found = self.tree.names(path)
        self.inputs[f"{path}/"] = listed(found)
        return found

    def digest(self, path: str) -> str:
        """Whoever asks for the digest of a folder depends on everything below it."""
        self.inputs[path] = self.tree.digest(path)
        return self.inputs[path]

    def is_link(self, path: str) -> bool:
        found = self.tree.is_link(path)
        self.inputs[f"{path}//"] = _LINK if found else ""
        return found


class Now:
    """A tree that renderings from others are compared with: each path is looked at once, however many have read it."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: Inputs = {}

    def has(self, inputs: Inputs) -> bool:
        """Whether a rendering from these inputs would be the same from this tree."""
        return all(self._at(path) == digest for path, digest in inputs.items())

    def _at(self, path: str) -> str | None:
        if path not in self._known:
            try:
                self._known[path] = _now(path, self._tree)
            except SourceError:
                return None  # it cannot be read any more: that is a change
        return self._known[path]


def listed(names: list[str]) -> str:
    return "\0".join(names)


def inside(base: str, relative: str, *, says: str) -> str:
    """`relative` as seen from the folder `base`. Raises when it leaves the repository; `says` is who wrote it, for the message."""
    start = "" if relative.startswith("/") else base
    path = posixpath.normpath(posixpath.join("/", start, relative.lstrip("/")))
    climbed = posixpath.normpath(posixpath.join(start, relative.lstrip("/")))
    if climbed == ".." or climbed.startswith("../"):
        raise SourceError(f"{says}: {relative!r} is outside the repository")
    return path.strip("/")


def _now(path: str, tree: Tree) -> str:
    if path.endswith("//"):
        return _LINK if tree.is_link(path[:-2]) else ""
    if not path.endswith("/"):
        return tree.digest(path)
    folder = path[:-1]
    return listed(tree.names(folder)) if tree.form(folder) == "folder" else ""
