"""Trees of files for tests of renderers: out of a dictionary, or a folder."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from argosy.manifests.tree import Form, MissingPath


@dataclass
class Files:
    """A tree of a dictionary."""

    files: dict[str, bytes]

    def form(self, path: str) -> Form | None:
        if path in self.files:
            return "file"
        return "folder" if not path or any(one.startswith(f"{path}/") for one in self.files) else None

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise MissingPath(path)
        return self.files[path]

    def names(self, path: str) -> list[str]:
        start = f"{path}/" if path else ""
        return sorted({one[len(start) :].split("/")[0] for one in self.files if one.startswith(start)})

    def digest(self, path: str) -> str:
        start = f"{path}/" if path else ""
        below = sorted(
            (name, data) for name, data in self.files.items() if name == path or name.startswith(start)
        )
        return hashlib.sha256(repr(below).encode()).hexdigest() if below else ""

    def is_link(self, path: str) -> bool:
        return False


@dataclass(frozen=True)
class Folder:
    root: Path

    def form(self, path: str) -> Form | None:
        found = self.root / path
        return "folder" if found.is_dir() else "file" if found.is_file() else None

    def read(self, path: str) -> bytes:
        if not (self.root / path).is_file():
            raise MissingPath(path)
        return (self.root / path).read_bytes()

    def names(self, path: str) -> list[str]:
        return sorted(os.listdir(self.root / path))

    def digest(self, path: str) -> str:
        return path

    def is_link(self, path: str) -> bool:
        return (self.root / path).is_symlink()
