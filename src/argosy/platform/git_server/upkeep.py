"""What is done behind everybody's back, one repository at a time and with the lowest priority: looking for what a crash left, measuring,
packing, and clearing away what was removed.

Nothing polls: a push hands its repository in, a start hands in all of them.
"""

from __future__ import annotations

import asyncio

from argosy.kit.errors import ArgosyError
from argosy.kit.git import GitFailed
from argosy.kit.git.locking import exclusively
from argosy.kit.git.mirror import size_on_disk
from argosy.kit.git.running import Manner, run
from argosy.kit.log import get_logger
from argosy.platform.git_server.announcing import Announcer
from argosy.platform.git_server.folders import Folder, Folders
from argosy.platform.git_server.settings import GitServerSettings
from argosy.platform.git_server.store import Store, Stored

log = get_logger(__name__)
_PACK_SECONDS = 3600.0
_AGAIN_SECONDS = 2.0


class Upkeep:
    def __init__(
        self, store: Store, folders: Folders, announcer: Announcer, settings: GitServerSettings
    ) -> None:
        self._store, self._folders, self._announcer = store, folders, announcer
        self._settings = settings
        self._waiting: dict[str, Stored] = {}
        self._wake = asyncio.Event()

    def after_push(self, stored: Stored) -> None:
        self._waiting[stored.id] = stored
        self._wake.set()

    def after_removal(self) -> None:
        self._wake.set()

    async def run(self) -> None:
        """Until cancelled. A failure (the database is away) is the host's to see; it starts this again, and all is looked at."""
        await self._remove()
        for stored in await self._store.everywhere():
            await self._look(stored)
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self._remove()
            while self._waiting:
                _, stored = self._waiting.popitem()
                await self._look(stored)

    async def _look(self, stored: Stored) -> None:
        try:
            if found := await self._announcer.reconcile(stored):
                log.info("git.announced_late", repository=stored.id, refs=found)
            await self._measure_and_pack(stored)
        except ArgosyError as error:
            if isinstance(error, GitFailed) or error.code == "repository.lost":
                # One that cannot be read keeps nobody from the others.
                log.warning("git.unreadable", repository=stored.id, code=error.code, reason=error.told)
                return
            self._waiting[stored.id] = stored
            self._wake.set()
            await asyncio.sleep(_AGAIN_SECONDS)
            raise

    async def _measure_and_pack(self, stored: Stored) -> None:
        folder = self._folders.of(stored.account, stored.id)
        async with self._store.database.transaction(stored.account, read_only=True) as tx:
            now = await self._store.of_id(tx, stored.account, stored.id)
        if now is None:
            return
        packed = now.unpacked >= self._settings.pack_after
        if packed:
            await pack(folder)
        size = await asyncio.to_thread(size_on_disk, folder.path)
        if packed or size != now.size:
            await self._store.measured(stored.account, stored.id, size, packed=packed)

    async def _remove(self) -> None:
        for account, id in await self._store.removals():
            await self._folders.remove(account, id)
            await self._store.removed(account, id)


async def pack(folder: Folder) -> None:
    async with exclusively(folder.packing, seconds=1.0) as lock:
        manner = Manner(gently=True, holding=(lock,))
        await run(
            "gc",
            "--quiet",
            "--prune=2.weeks.ago",
            repository=folder.path,
            seconds=_PACK_SECONDS,
            manner=manner,
        )
