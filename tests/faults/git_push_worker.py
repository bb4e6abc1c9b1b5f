"""The pushing part of the Git server in a process of its own that dies at a named stage of a push: `kill -9`, not an exception.

Reads the body of `git-receive-pack` from standard input and writes git's answer to standard output, as the gateway would see it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from argosy.backends.database import Database
from argosy.backends.events import Outbox
from argosy.backends.hosting import Recorder
from argosy.kit.calls import Call, Principal
from argosy.kit.clock import now
from argosy.platform.git_server.announcing import Announcer
from argosy.platform.git_server.asking import write_hook
from argosy.platform.git_server.folders import Folders
from argosy.platform.git_server.pushing import Pushing
from argosy.platform.git_server.settings import GitServerSettings
from argosy.platform.git_server.store import Store

ACCOUNT = "a" * 24
ADA = Principal("user", "b" * 24, "Ada", ACCOUNT, admin=True, credential="key:c")


def call() -> Call:
    return Call(ADA, "request-1", now().timestamp() + 60)


def announcer(database: Database, folders: Folders) -> Announcer:
    outbox = Outbox(database)
    return Announcer(Store(database), outbox, Recorder("git_server", database, outbox), folders, now)


async def push(dsn: str, root: Path, repository: str, dies_at: str) -> None:
    def at(stage: str) -> None:
        if stage == dies_at:
            os.kill(os.getpid(), signal.SIGKILL)

    async def body() -> AsyncIterator[bytes]:
        while piece := await asyncio.to_thread(sys.stdin.buffer.read1, 65536):
            yield piece

    async def send(piece: bytes) -> None:
        sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()

    database = Database(dsn, service="git_server")
    await database.open()
    folders, store = Folders(root), Store(database)
    write_hook(folders.hooks)
    pushing = Pushing(
        store, folders, announcer(database, folders), GitServerSettings(), now, lambda _: None, at
    )
    async with database.transaction(ACCOUNT, read_only=True) as tx:
        stored = await store.of_id(tx, ACCOUNT, repository)
    assert stored is not None
    await pushing.receive(call(), stored, "", body(), send)
    await database.close()


if __name__ == "__main__":
    asyncio.run(push(sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]))
