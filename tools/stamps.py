"""Did anything change since a step last succeeded? A stamp holds the digest of what the step read.

`tools.setup` asks before each step, so that a second `make up` does nothing in a fraction of a second.
Digests are of contents, never of times: a fresh checkout of the same tree is the same tree.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.steps import ROOT

FOLDER = ROOT / ".tools" / "stamps"
_NOT_SOURCES = {"node_modules", "dist", ".git", "coverage", "test-results"}


def digest(paths: Iterable[Path], *, also: str = "") -> str:
    """One digest of files and folders (walked), their names included; what is missing counts as missing."""
    total = hashlib.sha256(also.encode())
    for path in sorted(set(_files(paths))):
        total.update(f"\0{path.relative_to(ROOT)}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def fresh(name: str, value: str) -> bool:
    try:
        return (FOLDER / name).read_text() == value
    except FileNotFoundError:
        return False


def write(name: str, value: str) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / name).write_text(value)


def forget(name: str) -> None:
    """Before a step starts: when it is interrupted, the next run must not believe the old stamp."""
    (FOLDER / name).unlink(missing_ok=True)


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_file():
            yield path
        for folder, names, files in os.walk(path):
            names[:] = [name for name in names if name not in _NOT_SOURCES]
            yield from (Path(folder, file) for file in files if not file.endswith(".tsbuildinfo"))
