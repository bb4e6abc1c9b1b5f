"""Steps on a terminal: a name, what it took, and on failure the last words of the program that failed.

Every verb prints through this. Standard library only: `tools.setup` runs before anything is installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
ROOT = Path(__file__).resolve().parent.parent


class Stop(Exception):
    """The verb cannot go on. The text is what is wrong, where, and the cure: at most three lines."""


@contextmanager
def step(name: str) -> Iterator[None]:
    started = time.monotonic()
    sys.stdout.write(f"  {name} … ")
    sys.stdout.flush()
    try:
        yield
    except BaseException:
        print(f"failed after {time.monotonic() - started:.1f} s", flush=True)
        raise
    print(f"{time.monotonic() - started:.1f} s", flush=True)


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    cure: str = "",
    deadline: float = 1800,
) -> str:
    """The program's output; when it fails, its last lines on the screen and `Stop`."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=deadline,
            check=False,
        )
    except FileNotFoundError as error:
        raise Stop(f"{command[0]} is not installed\n{cure}".strip()) from error
    except subprocess.TimeoutExpired as error:
        raise Stop(f"{_shown(command)} did not end within {deadline:.0f} s\n{cure}".strip()) from error
    if done.returncode != 0:
        said = _first_and_last(plain(done.stdout).rstrip().splitlines())
        raise Stop(f"{said}\n{_shown(command)} failed with {done.returncode}\n{cure}".strip())
    return done.stdout


def plain(text: str) -> str:
    """Without the colours that some programs send whoever reads."""
    return _COLOURS.sub("", text)


def _first_and_last(lines: list[str], each: int = 12) -> str:
    """Some programs say the cause first, some last."""
    if len(lines) <= 2 * each:
        return "\n".join(lines)
    return "\n".join([*lines[:each], f"… {len(lines) - 2 * each} more lines …", *lines[-each:]])


def _shown(command: Sequence[str | Path]) -> str:
    return " ".join([Path(command[0]).name, *map(str, command[1:4])])
