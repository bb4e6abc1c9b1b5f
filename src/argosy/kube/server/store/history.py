"""The newest changes of a cluster, in order: what watches read, and how an older list is made again.

There is one history for all readers; a reader (`watch`) is only a position in it. It is bounded in two ways: by how many changes
it holds, and by how many bytes it alone keeps alive, the states that are no longer the newest ones.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from itertools import islice

from argosy.kube.server.store.states import Change


class Feed:
    """The changes of one collection. A reader counts positions from the beginning of time: `dropped` have left already."""

    __slots__ = ("_news", "changes", "closed", "dropped")

    def __init__(self, *, closed: bool) -> None:
        self.changes: deque[Change] = deque()
        self.dropped = 0
        self.closed = closed
        self._news: asyncio.Event | None = None

    @property
    def end(self) -> int:
        return self.dropped + len(self.changes)

    def position(self, since: int) -> int:
        """Of the first change after that revision."""
        return self.end - sum(1 for _ in self.newer(since))

    def newer(self, than: int) -> Iterator[Change]:
        """The newest first."""
        for change in reversed(self.changes):
            if change.revision <= than:
                return
            yield change

    def tail(self, position: int) -> list[Change]:
        """From there to the end; a deque is quick at its ends only."""
        found = list(islice(reversed(self.changes), self.end - position))
        found.reverse()
        return found

    async def news(self) -> None:
        if self._news is None:
            self._news = asyncio.Event()
        await self._news.wait()

    def wake(self) -> None:
        if self._news is not None:
            self._news.set()
            self._news = None


class History:
    def __init__(self, *, oldest: int, keep: int, keep_bytes: int) -> None:
        self.oldest = oldest
        """Of everything after this revision each change is here."""
        self._keep, self._slack, self._keep_bytes = keep, keep // 16, keep_bytes
        self._changes: deque[Change] = deque()
        self._bytes = 0
        self._feeds: dict[str, Feed] = {}
        self._closed = False

    def feed(self, collection: str) -> Feed:
        feed = self._feeds.get(collection)
        if feed is None:
            feed = self._feeds[collection] = Feed(closed=self._closed)
        return feed

    def append(self, change: Change) -> Feed:
        self._changes.append(change)
        self._bytes += _weight(change)
        feed = self.feed(change.key.collection)
        feed.changes.append(change)
        return feed

    def trim(self) -> list[Change]:
        """What had to leave. By count they leave several at a time, because the disk is cheaper to clear in one piece."""
        gone: list[Change] = []
        surplus = len(self._changes) - self._keep
        if surplus <= self._slack:
            surplus = 0
        while len(gone) < surplus or (self._bytes > self._keep_bytes and len(self._changes) > 1):
            change = self._changes.popleft()
            gone.append(change)
            self._bytes -= _weight(change)
            self.oldest = change.revision
            feed = self._feeds[change.key.collection]
            feed.changes.popleft()
            feed.dropped += 1
        return gone

    def close(self) -> None:
        """Readers end when they have read everything."""
        self._closed = True
        for feed in self._feeds.values():
            feed.closed = True
            feed.wake()


def _weight(change: Change) -> int:
    """The bytes that would be free without it: its own body is the object's newest, or the next change's `previous`."""
    return len(change.previous or b"") + len(change.last or b"")
