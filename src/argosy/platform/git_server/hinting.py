"""Tells whoever renders on the same machine of a push at once, over a Unix socket.

A hint, and no more: the event is what counts, and who misses the hint finds the push when he looks. So nobody waits for it, and a
socket that is not there is no failure.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiohttp
import msgspec

from argosy.kit.log import get_logger

log = get_logger(__name__)
_SECONDS = 2.0


class Hints:
    """`socket`: empty where nobody listens. `token_file` has what is shown there."""

    def __init__(self, socket: str, token_file: str) -> None:
        self._socket, self._token_file = socket, token_file
        self._sending: set[asyncio.Task[None]] = set()

    def pushed(self, path: str) -> None:
        """`path`: of the repository, below the platform's URL."""
        if self._socket:
            task = asyncio.create_task(self._send(path))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _send(self, path: str) -> None:
        try:
            token = await asyncio.to_thread(Path(self._token_file).read_text)
            connector = aiohttp.UnixConnector(path=self._socket)
            timeout = aiohttp.ClientTimeout(total=_SECONDS)
            async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
                await session.post(
                    "http://engine/pushed",
                    data=msgspec.json.encode({"path": path}),
                    headers={"authorization": f"Bearer {token.strip()}"},
                )
        except (OSError, TimeoutError, aiohttp.ClientError) as error:
            log.info("git.hint_lost", path=path, error=str(error))
