"""A part of a tree as files, for programs that want files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from argosy.manifests.tree import Recorded, SourceError, Tree

_MOST_FILES, _MOST_BYTES, _DEEPEST = 20_000, 200 * 1024 * 1024, 64


@dataclass(slots=True)
class _Budget:
    files: int = _MOST_FILES
    size: int = _MOST_BYTES

    def spend(self, path: str, size: int) -> None:
        self.files -= 1
        self.size -= size
        if self.files < 0 or self.size < 0:
            raise SourceError(f"{path}: more than {_MOST_FILES} files or {_MOST_BYTES // 2**20} MB")


def export(tree: Tree, path: str, into: Path) -> None:
    """Symbolic links become what they lead to. Who depends on a folder as a whole depends on its digest, and on nothing more."""
    tree.digest(path)
    _folder(tree.tree if isinstance(tree, Recorded) else tree, path, into, _Budget(), 0)


def _folder(tree: Tree, path: str, into: Path, budget: _Budget, depth: int) -> None:
    if depth > _DEEPEST:
        raise SourceError(f"{path}: deeper than {_DEEPEST} folders; do its symbolic links lead in a circle?")
    into.mkdir(parents=True, exist_ok=True)
    for name in tree.names(path):
        below = f"{path}/{name}" if path else name
        if name == ".git":
            continue
        form = tree.form(below)
        if form == "folder":
            budget.spend(below, 0)
            _folder(tree, below, into / name, budget, depth + 1)
        elif form == "file":
            data = tree.read(below)
            budget.spend(below, len(data))
            (into / name).write_bytes(data)
