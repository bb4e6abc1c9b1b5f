"""A part of a tree as files, for programs that want files."""

from __future__ import annotations

from pathlib import Path

from argosy.manifests.tree import SourceError, Tree

_MOST_FILES, _MOST_BYTES = 20_000, 200 * 1024 * 1024


def export(tree: Tree, path: str, into: Path) -> None:
    """Symbolic links become what they lead to. Whoever depends on a folder as a whole depends on its digest."""
    tree.digest(path)
    left = [_MOST_FILES, _MOST_BYTES]
    _folder(tree, path, into, left)


def _folder(tree: Tree, path: str, into: Path, left: list[int]) -> None:
    into.mkdir(parents=True, exist_ok=True)
    for name in tree.names(path):
        below = f"{path}/{name}" if path else name
        if name == ".git":
            continue
        if tree.form(below) == "folder":
            _folder(tree, below, into / name, left)
            continue
        data = tree.read(below)
        left[0] -= 1
        left[1] -= len(data)
        if min(left) < 0:
            raise SourceError(f"{path or '.'}: more than {_MOST_FILES} files or {_MOST_BYTES // 2**20} MB")
        (into / name).write_bytes(data)
