"""The files a source is rendered from: read-only, inside one repository, and remembered.

Renderers read nothing but a `Tree`. What they read is recorded as `Inputs`, so that a later commit in which all of that is the same needs no
second rendering. The trees themselves are made by whoever has the files: a commit of a bare mirror, an unpacked chart, a folder of a test.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

Form: TypeAlias = Literal["file", "folder"]


class SourceError(Exception):
    """Why a source cannot be rendered, in words for the person who wrote it: what, where, what to do."""


class MissingPath(SourceError):
    """Nothing is there."""


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


Inputs: TypeAlias = dict[str, str]
"""What was read: path → digest, empty for what was looked for and not there. A trailing `/` marks a listing: only its names count."""


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


def unchanged(inputs: Inputs, tree: Tree) -> bool:
    """Whether a rendering from these inputs is the same from this tree."""
    return all(_now(path, tree) == digest for path, digest in inputs.items())


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
    if not path.endswith("/"):
        return tree.digest(path)
    folder = path[:-1]
    return listed(tree.names(folder)) if tree.form(folder) == "folder" else ""
