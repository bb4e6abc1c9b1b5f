"""The objects of one repository for an event loop: one `git cat-file` that lives long and is asked one thing at a time.

Whoever asks waits until those before are served, so no more than one object is in memory for each repository; a big file is handed on in
pieces. `reading` is the same for workers that may block.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Self

from argosy.kit.git.reading import READ_ONLY, Folder, Header, damaged, folder_entries, judge, read_header
from argosy.kit.git.running import MEGABYTE, process

_PIECE = 64 * 1024


class Objects:
    """Use as a context; the process starts with the first question and ends with the block."""

    def __init__(self, repository: Path, *, seconds: float = 30) -> None:
        self.repository = repository
        self._seconds = seconds
        self._turn = asyncio.Lock()
        self._git: asyncio.subprocess.Process | None = None
        self._started = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        self._git = None
        await self._started.aclose()

    async def header(self, oid: str) -> Header:
        async with self._asked(f"info {oid}") as header:
            return header

    async def read(self, oid: str, type_: str, limit: int) -> bytes:
        async with self._asked(f"contents {oid}") as header:
            judge(header, type_, limit)
            return await self._exactly(header.size)

    async def folder(self, oid: str) -> Folder:
        return folder_entries(await self.read(oid, "tree", 16 * MEGABYTE))

    async def pieces(self, oid: str, limit: int) -> AsyncIterator[bytes]:
        """A file, as fast as it is taken. Nobody else is served until it is, or until this is closed."""
        async with self._asked(f"contents {oid}") as header:
            judge(header, "blob", limit)
            left = header.size
            while left:
                piece = await self._some(min(left, _PIECE))
                left -= len(piece)
                yield piece
            await self._exactly(0)

    @contextlib.asynccontextmanager
    async def _asked(self, question: str) -> AsyncIterator[Header]:
        """Whatever ends the block early leaves an answer in the pipe: then the process goes with it."""
        async with self._turn:
            try:
                yield await self._ask(question)
            except BaseException:
                await self.close()
                raise

    async def _ask(self, question: str) -> Header:
        for attempt in (1, 2):
            try:
                async with asyncio.timeout(self._seconds):
                    git = await self._running()
                    assert git.stdin is not None
                    assert git.stdout is not None
                    git.stdin.write(f"{question}\n".encode())
                    await git.stdin.drain()
                    return read_header(await git.stdout.readline(), self.repository)
            except (EOFError, BrokenPipeError, ConnectionResetError):
                await self.close()
                if attempt == 2:
                    break
        raise damaged(self.repository)

    async def _exactly(self, size: int) -> bytes:
        taken = bytearray()
        while len(taken) < size:
            taken += await self._some(size - len(taken))
        await self._some(1)  # a line break ends every content
        return bytes(taken)

    async def _some(self, size: int) -> bytes:
        assert self._git is not None
        assert self._git.stdout is not None
        async with asyncio.timeout(self._seconds):
            piece = await self._git.stdout.read(size)
        if not piece:
            raise damaged(self.repository)
        return piece

    async def _running(self) -> asyncio.subprocess.Process:
        if self._git is None:
            started = process(*READ_ONLY, repository=self.repository, stderr=asyncio.subprocess.DEVNULL)
            self._git = await self._started.enter_async_context(started)
        return self._git
