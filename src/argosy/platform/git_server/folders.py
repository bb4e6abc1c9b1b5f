"""Where repositories lie: `git/<account>/<id>.git`, bare, private, named by ids alone, so that no name ever becomes a path.

Beside each: a lock that everything takes that moves its refs (git processes inherit it, and keep it past our own end), and one for packing.
After a restore there is a bundle instead; whoever opens the repository first unpacks it.
"""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

from argosy.kit.errors import Unavailable
from argosy.kit.git.locking import exclusively
from argosy.kit.git.mirror import create
from argosy.kit.git.running import run
from argosy.kit.ids import is_id
from argosy.platform.git_server.store import Stored

_UNPACK_SECONDS = 1800.0
_WAIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Folder:
    """One repository on disk."""

    path: Path

    @property
    def lock(self) -> Path:
        return self.path.with_suffix(".lock")

    @property
    def packing(self) -> Path:
        return self.path.with_suffix(".packing.lock")

    @property
    def bundle(self) -> Path:
        return self.path.with_suffix(".bundle")


class Folders:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.hooks = root / ".hooks"
        self._turns: dict[str, asyncio.Lock] = {}

    def of(self, account: str, id: str) -> Folder:
        assert is_id(account)
        assert is_id(id)
        return Folder(self.root / account / f"{id}.git")

    def turn(self, id: str) -> asyncio.Lock:
        """Within this process, for whoever moves refs; the lock on disk is for what other processes left behind."""
        return self._turns.setdefault(id, asyncio.Lock())

    async def make(self, stored: Stored) -> Folder:
        folder = self.of(stored.account, stored.id)
        await create(folder.path, branch=stored.default_branch)
        return folder

    async def opened(self, stored: Stored) -> Folder:
        folder = self.of(stored.account, stored.id)
        if not (folder.path / "HEAD").is_file():
            async with self.turn(stored.id), exclusively(folder.lock, seconds=_WAIT_SECONDS):
                if not (folder.path / "HEAD").is_file():
                    await self._bring_back(folder, stored)
        return folder

    async def remove(self, account: str, id: str) -> None:
        folder = self.of(account, id)
        gone = folder.path.with_suffix(".gone")
        if folder.path.exists() and not gone.exists():
            folder.path.rename(gone)
        await asyncio.to_thread(shutil.rmtree, gone, ignore_errors=True)
        for file in (folder.lock, folder.packing, folder.bundle):
            file.unlink(missing_ok=True)
        self._turns.pop(id, None)

    async def _bring_back(self, folder: Folder, stored: Stored) -> None:
        if stored.pushed is not None and not folder.bundle.is_file():
            raise lost(folder, stored)
        draft = folder.path.with_suffix(".new")
        for left in (draft, folder.path):  # a folder without HEAD is half a one
            await asyncio.to_thread(shutil.rmtree, left, ignore_errors=True)
        await create(draft, branch=stored.default_branch)
        if folder.bundle.is_file():
            await run(
                "bundle", "verify", "--quiet", str(folder.bundle), repository=draft, seconds=_UNPACK_SECONDS
            )
            refs = await run(
                "bundle", "unbundle", str(folder.bundle), repository=draft, seconds=_UNPACK_SECONDS
            )
            await run("update-ref", "--stdin", repository=draft, stdin=_creating(refs))
        draft.rename(folder.path)
        folder.bundle.unlink(missing_ok=True)


def lost(folder: Folder, stored: Stored) -> Unavailable:
    """An empty one in its place would look as if everything had been deleted, and whoever prunes would follow."""
    return Unavailable(
        f"the folder of the repository {stored.name} is gone",
        code="repository.lost",
        cure="bring it back from a backup, or delete the repository",
        detail=str(folder.path),
    )


def _creating(refs: bytes) -> bytes:
    lines = (line.split(b" ", 1) for line in refs.splitlines())
    return b"".join(b"create %s %s\n" % (name, oid) for oid, name in lines if name.startswith(b"refs/"))
