"""One reader of the changes of a collection: a position in the history (`history`), woken when there is more.

Made by `Store.changes`; the API's watches read it. It holds nothing back and nothing for itself: a reader that is slow costs
nobody anything, until what it has not read leaves the history and it is told to list again.
"""

from __future__ import annotations

import asyncio
import contextlib

from argosy.kube.errors import ApiError, expired
from argosy.kube.server.store.history import Feed, History
from argosy.kube.server.store.states import Change

_MOST = 500


def too_old(since: int, oldest: int) -> ApiError:
    return expired(f"too old resource version: {since} ({oldest})")


class Watch:
    """An async iterator that ends when the store is closed. Waiting may be cancelled and taken up again."""

    def __init__(self, history: History, feed: Feed, since: int) -> None:
        self.since = since
        """The revision of the change that was read last, or the one it started from."""
        self._history, self._feed = history, feed
        self._position = feed.position(since)

    def __aiter__(self) -> Watch:
        return self

    async def __anext__(self) -> Change:
        while True:
            self._check()
            while self._position < self._feed.end:
                change = self._feed.changes[self._position - self._feed.dropped]
                self._position += 1
                if change.revision > self.since:
                    self.since = change.revision
                    return change
            if self._feed.closed:
                raise StopAsyncIteration
            await self._feed.news()

    def ready(self) -> list[Change]:
        """What can be read without waiting, all at once: a server sends it in one piece. Of very much only the beginning, so
        that a reader who then takes long keeps no more than that."""
        self._check()
        next_ones = self._feed.tail(self._position)[:_MOST]
        self._position += len(next_ones)
        found = [change for change in next_ones if change.revision > self.since]
        if found:
            self.since = found[-1].revision
        return found

    async def next(self, seconds: float) -> list[Change]:
        """All that is ready, as soon as there is something; nothing after that time or when the store is closed."""
        if found := self.ready():
            return found
        if not self.ended:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._feed.news()
        return self.ready()

    @property
    def behind(self) -> bool:
        """More can be read at once."""
        return self._position < self._feed.end

    @property
    def ended(self) -> bool:
        """The store is closed: nothing more will come."""
        return self._feed.closed

    def _check(self) -> None:
        if self._position < self._feed.dropped:
            raise too_old(self.since, self._history.oldest)
