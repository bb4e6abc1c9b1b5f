"""A lock between processes on one file, waited for without blocking the loop."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from argosy.kit.git.failing import Failure, GitFailed

_AGAIN_SECONDS = 0.02


@contextlib.asynccontextmanager
async def exclusively(path: Path, *, seconds: float) -> AsyncIterator[int]:
    """Hands out the open file: given to a child process, the lock lasts as long as that runs, too."""
    with opened(path) as descriptor:
        await take(descriptor, path.stem, seconds=seconds)
        yield descriptor


@contextlib.contextmanager
def opened(path: Path) -> Iterator[int]:
    """Not locked yet: a child process that inherits it shares the lock that is taken later."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not _taken(descriptor)
    finally:
        os.close(descriptor)


async def take(descriptor: int, what: str, *, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            while True:
                if _taken(descriptor):
                    return
                await asyncio.sleep(_AGAIN_SECONDS)
    except TimeoutError:
        raise GitFailed(
            f"{what} is being written by another process since {seconds:g} s",
            code=Failure.DEADLINE,
            cure="look for a git process that hangs",
        ) from None


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
