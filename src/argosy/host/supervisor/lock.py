"""One supervisor per data directory: a kernel lock, which dies with its holder and so is never stale.

Taken by `lifecycle.up` before anything else is touched, and by `reset` and `down` to see that nobody runs.
The file itself stays: removing it would let two holders lock two files of the same name.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_GLANCES = 10


def take(path: Path) -> int | None:
    """The descriptor that holds the lock, or None when another process has it. Tried for a moment, because
    `is_free` can only look by holding it for an instant."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    for _ in range(_GLANCES):
        if _try(fd):
            return fd
        time.sleep(0.01)
    os.close(fd)
    return None


@contextmanager
def held(path: Path) -> Iterator[bool]:
    """True inside the block when the lock is ours."""
    fd = take(path)
    try:
        yield fd is not None
    finally:
        if fd is not None:
            os.close(fd)


def is_free(path: Path) -> bool:
    if not path.exists():
        return True
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        return _try(fd)
    finally:
        os.close(fd)


def _try(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
