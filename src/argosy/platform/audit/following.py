"""Entries as they are sealed, for those who watch: a notification wakes the watcher, the chain's numbers say what is new.

`api` streams what comes from here. Notifications are hints, so a watcher also looks by itself now and then.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import get_args

from argosy.backends.database import Database
from argosy.contracts.audit import Entry, Kind
from argosy.kit.calls import Call
from argosy.platform.audit.store import Store

CHANNEL = "audit_sealed"
_LOOK_SECONDS = 10.0
_STEP = 200


class Following:
    def __init__(self, store: Store, database: Database) -> None:
        self._store, self._database = store, database
        self._watchers: dict[str, set[asyncio.Event]] = {}
        self._listening = False
        self._stopping = False

    def announce(self, accounts: set[str]) -> None:
        """After the commit that sealed entries of these accounts."""
        for account in accounts:
            self._database.notify_soon(CHANNEL, account or "-")

    def stop(self) -> None:
        """All streams end by themselves."""
        self._stopping = True
        self._heard("")

    async def follow(self, call: Call) -> AsyncIterator[Entry]:
        account, news = call.account, asyncio.Event()
        self._watchers.setdefault(account, set()).add(news)
        try:
            await self._listen()
            seen = {kind: await self._head(account, kind) for kind in _KINDS}
            while not self._stopping and call.seconds_left > 0:
                news.clear()
                fresh = await self._fresh(account, seen)
                for entry in fresh:
                    yield entry
                if not fresh:
                    await _wait(news, min(_LOOK_SECONDS, call.seconds_left))
        finally:
            self._watchers[account].discard(news)

    async def _fresh(self, account: str, seen: dict[Kind, int]) -> list[Entry]:
        found: list[Entry] = []
        for kind in _KINDS:
            for entry, _ in await self._store.links(account, kind, seen[kind], _NO_END, _STEP):
                found.append(entry)
                seen[kind] = entry.number
        return sorted(found, key=lambda entry: (entry.time, entry.id))

    async def _head(self, account: str, kind: Kind) -> int:
        chain = await self._store.chain(account, kind)
        return 0 if chain is None else chain.number

    async def _listen(self) -> None:
        if not self._listening:
            self._listening = True
            await self._database.listen(CHANNEL, self._heard)

    def _heard(self, account: str) -> None:
        """Empty after a new connection: anybody may have missed something."""
        groups = [self._watchers.get(account, set())] if account else list(self._watchers.values())
        for group in groups:
            for news in group:
                news.set()


_KINDS: tuple[Kind, ...] = get_args(Kind)
_NO_END = 2**62


async def _wait(news: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            await news.wait()
    except TimeoutError:
        return
