"""LISTEN on a connection of its own that comes back by itself. `Database.listen` is the door.

A notification is a hint that something may be new: after each connection every callback is called with "".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg

from argosy.backends.database.failures import DRIVER_ERRORS
from argosy.kit.errors import ArgosyError
from argosy.kit.log import get_logger

log = get_logger(__name__)

Heard = Callable[[str], None]
Stop = Callable[[], None]

_PROBE_SECONDS = 20.0
_ANSWER_SECONDS = 5.0
_LONGEST_PAUSE = 2.0


class Listener:
    def __init__(self, connect: Callable[[], Awaitable[asyncpg.Connection]], service: str) -> None:
        self._connect, self._service = connect, service
        self._callbacks: dict[str, list[Heard]] = {}
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def add(self, channel: str, callback: Heard) -> Stop:
        """The connection is made with the first channel and kept until `close`."""
        self._callbacks.setdefault(channel, []).append(callback)
        self._changed.set()
        if self._task is None:
            self._task = asyncio.create_task(self._run())

        def stop() -> None:
            self._callbacks[channel].remove(callback)

        return stop

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None

    async def _run(self) -> None:
        pause = 0.05
        while True:
            try:
                link = await self._connect()
                pause = 0.05
                await self._listen(link)
            except (ArgosyError, *DRIVER_ERRORS) as error:
                log.info("database.listening_interrupted", service=self._service, reason=str(error))
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def _listen(self, link: asyncpg.Connection) -> None:
        heard: set[str] = set()
        link.add_termination_listener(lambda _: self._changed.set())
        try:
            while not link.is_closed():
                self._changed.clear()
                for channel in set(self._callbacks) - heard:
                    await link.add_listener(channel, self._deliver)
                    heard.add(channel)
                    self._call(channel, "")
                try:
                    await asyncio.wait_for(self._changed.wait(), _PROBE_SECONDS)
                except TimeoutError:  # nothing for a while: is anybody there?
                    await link.execute("SELECT 1", timeout=_ANSWER_SECONDS)
        finally:
            link.terminate()

    def _deliver(self, _link: asyncpg.Connection, _pid: int, channel: str, payload: str) -> None:
        self._call(channel, payload)

    def _call(self, channel: str, payload: str) -> None:
        for callback in tuple(self._callbacks.get(channel, ())):
            callback(payload)
