"""A real platform for a benchmark: its own data directory, a free port, gone afterwards.

Used by the benchmarks in this folder; nothing is measured here except how long the start took.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ARGOSY = Path(__file__).resolve().parents[2] / ".venv" / "bin" / "argosy"


@dataclass(frozen=True)
class Started:
    url: str
    email: str
    password: str
    data_dir: Path
    seconds: float


@contextmanager
def data_directory() -> Iterator[Path]:
    """A folder in the temporary directory, short enough for Unix sockets inside it."""
    folder = Path(tempfile.mkdtemp(prefix="argosy-bench-"))
    try:
        yield folder / "data"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(data_dir: Path) -> Iterator[Started]:
    started = time.monotonic()
    told = argosy("up", "--detach", "--output", "json", "--port", "0", "--data-dir", str(data_dir))
    seconds = time.monotonic() - started
    try:
        said = json.loads(told)
        yield Started(said["url"], said["email"] or "", said.get("password") or "", data_dir, seconds)
    finally:
        argosy("down", "--data-dir", str(data_dir))


def argosy(*arguments: str, home: Path | None = None) -> str:
    environment = dict(os.environ)
    if home is not None:
        environment |= {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    done = subprocess.run(
        [ARGOSY, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode != 0:
        raise RuntimeError(
            f"argosy {' '.join(arguments[:2])} answered {done.returncode}: {done.stderr.strip()}"
        )
    return done.stdout
