"""A folder of the disk as a tree: an unpacked chart, files of a test."""

from __future__ import annotations

import hashlib
from pathlib import Path

from argosy.manifests.tree import Form, MissingPath, SourceError

_MOST_BYTES = 50 * 1024 * 1024


class FolderTree:
    """Links are followed, and never out of the folder."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def form(self, path: str) -> Form | None:
        found = self._place(path)
        return "folder" if found.is_dir() else "file" if found.is_file() else None

    def read(self, path: str) -> bytes:
        found = self._place(path)
        if not found.exists():
            raise MissingPath(f"{path}: no such file")
        if not found.is_file():
            raise SourceError(f"{path}: it is a folder, not a file")
        if found.stat().st_size > _MOST_BYTES:
            raise SourceError(f"{path}: larger than {_MOST_BYTES // 2**20} MB")
        return found.read_bytes()

    def names(self, path: str) -> list[str]:
        found = self._place(path)
        if not found.is_dir():
            raise MissingPath(f"{path or '.'}: no such folder")
        return sorted(one.name for one in found.iterdir())

    def digest(self, path: str) -> str:
        form = self.form(path)
        if form is None:
            return ""
        if form == "file":
            return hashlib.sha256(self.read(path)).hexdigest()
        below = [(name, self.digest(f"{path}/{name}" if path else name)) for name in self.names(path)]
        return hashlib.sha256(repr(below).encode()).hexdigest()

    def is_link(self, path: str) -> bool:
        above, _, name = path.rpartition("/")
        return (self._place(above) / name).is_symlink()

    def _place(self, path: str) -> Path:
        found = (self._root / path).resolve()
        if not found.is_relative_to(self._root):
            raise SourceError(f"{path}: it leads out of the repository")
        return found
