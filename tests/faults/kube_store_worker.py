"""A cluster's store in a process of its own, for `test_kube_store`: something to kill, and something to run out of disk.

    python -m tests.faults.kube_store_worker write PATH SEED
    python -m tests.faults.kube_store_worker fill PATH LIMIT

The writers say `r REVISION` before they stage a write, and `a REVISION NAME` after it was acknowledged, and only then.
"""

from __future__ import annotations

import asyncio
import os
import random
import resource
import sys
from pathlib import Path

from argosy.kit.log import configure
from argosy.kube.errors import ApiError
from argosy.kube.objects import Key
from argosy.kube.server.store import Store

WRITERS = 8
KEEP = 1_000_000
COLLECTION = "configmaps"


def key_of(name: str) -> Key:
    return Key(COLLECTION, "default", name)


def body_of(name: str, revision: int) -> bytes:
    """Of a size that its revision tells, so that a torn one would be seen."""
    return f"{name}@{revision}:".encode() + b"x" * (revision % 3000)


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def write(path: Path, seed: int) -> None:
    store = await Store.open(path, keep=KEEP)

    async def writer(number: int) -> None:
        chance = random.Random(seed * WRITERS + number)
        while True:
            name = f"{number}-{chance.randrange(20)}"
            revision = store.reserve()
            say("r", revision)
            deleted = store.latest(key_of(name)) is not None and chance.random() < 0.2
            body = body_of(name, revision)
            if deleted:
                await store.stage(key_of(name), revision, None, last=body)
            else:
                await store.stage(key_of(name), revision, body)
            say("a", revision, name)

    await asyncio.gather(*(writer(number) for number in range(WRITERS)))


async def fill(path: Path, limit: int) -> None:
    """Up to a limit on the size of files, which a disk that is full resembles; then with room again."""
    store = await Store.open(path, keep=KEEP)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))

    async def put(number: int) -> None:
        name, revision = f"n-{number}", store.reserve()
        try:
            await store.stage(key_of(name), revision, body_of(name, revision))
        except ApiError as error:
            assert store.latest(key_of(name)) is None
            say("refused", error.code, revision)
            raise
        say("a", revision, name)

    number = 0
    try:
        while True:
            results = await asyncio.gather(
                *(put(number + one) for one in range(WRITERS)), return_exceptions=True
            )
            number += WRITERS
            if failed := [result for result in results if isinstance(result, BaseException)]:
                raise failed[0]
    except ApiError:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    await put(number)
    say("done")
    os.kill(os.getpid(), 9)


if __name__ == "__main__":
    configure(service="store")
    match sys.argv[1:]:
        case ["write", path, seed]:
            asyncio.run(write(Path(path), int(seed)))
        case ["fill", path, limit]:
            asyncio.run(fill(Path(path), int(limit)))
