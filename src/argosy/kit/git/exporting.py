"""A part of a commit as files in a folder, for programs that read nothing else (`helm template`).

Links become copies of what they lead to, so nothing in the folder points anywhere. Names that a file system could take for
something else are refused, and so is what would not fit.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from argosy.kit.git.running import MEGABYTE
from argosy.kit.git.tree import GitTree, Place, Refused

_UNSAFE = re.compile(r"\.{1,2}|\.git|.*[/\\\x00-\x1f].*|", re.IGNORECASE | re.DOTALL)
_DEEPEST = 100


@dataclass(slots=True)
class Budget:
    """What one export may put on disk."""

    files: int = 20_000
    size: int = 256 * MEGABYTE

    def spend(self, path: str, size: int) -> None:
        self.files -= 1
        self.size -= size
        if self.files < 0 or self.size < 0:
            raise Refused(f"{path}: the folder has too many or too large files to be rendered")


def export(tree: GitTree, path: str, into: Path, *, budget: Budget | None = None) -> None:
    """What stands below `path` comes to stand below `into`, which must be empty or absent."""
    place = tree.place(path)
    if place is None or place.entry.kind == "file":
        raise Refused(f"{path or 'the root'} is no folder of commit {tree.commit[:12]}")
    into.mkdir(mode=0o700, parents=True, exist_ok=True)
    _folder(place, into, budget or Budget(), ())


def _folder(place: Place, into: Path, budget: Budget, above: tuple[str, ...]) -> None:
    if place.entry.oid in above or len(above) > _DEEPEST:
        raise Refused(f"{place.path}: its folders contain themselves through symbolic links")
    for name, entry in place.tree.entries(place).items():
        path = f"{place.path}/{name}".lstrip("/")
        if _UNSAFE.fullmatch(name):
            raise Refused(f"{path!r} is a name that no file may have here")
        found = place.tree.place(path) if entry.kind == "link" else Place(path, entry, place.tree)
        if found is None:
            continue  # a link to nothing: a program that opens it finds nothing, as it should
        if found.entry.kind == "file":
            _write(found, into / name, path, budget)
        else:
            budget.spend(path, 0)
            (into / name).mkdir(mode=0o700)
            _folder(found, into / name, budget, (*above, place.entry.oid))


def _write(found: Place, target: Path, path: str, budget: Budget) -> None:
    content = found.tree.read(found.path)
    budget.spend(path, len(content))
    mode = 0o700 if found.entry.executable else 0o600
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    with open(descriptor, "wb") as file:
        file.write(content)
