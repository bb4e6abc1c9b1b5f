"""The objects of one cluster: read from memory, written through a journal, watched in one history.

The API's pipeline is its caller. A write takes the newest state (`latest`), reserves a revision, makes the new body and stages it,
all without awaiting, so no two writes can cross. Staged writes become durable together (`argosy.kit.journal`) and then visible, in the
order of their revisions: `index` holds what is committed, `history` how it came about, `watch` reads that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from argosy.kit.errors import ArgosyError
from argosy.kube.errors import ApiError, Cause, expired, timeout, unavailable
from argosy.kube.objects import Key
from argosy.kube.server.store.disk import Contents, Disk, Entry, JournalDisk, MemoryDisk
from argosy.kube.server.store.history import Feed, History
from argosy.kube.server.store.index import Names, States, place
from argosy.kube.server.store.replay import Replayed, replay
from argosy.kube.server.store.snapshot import Snapshot
from argosy.kube.server.store.states import Change, Stored
from argosy.kube.server.store.watch import Watch, too_old

_LEAP = 10_000
"""How far revisions jump with a restart: more than are ever reserved and not yet durable when a process dies."""
_KEEP_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class _Staged:
    """Written, and not yet durable. `state` is nothing for a deletion."""

    key: Key
    revision: int
    state: Stored | None
    last: bytes | None
    durable: asyncio.Future[Stored | None]


class Store:
    """Made by `open`. `keep` is how many changes the history holds at least, unless those that are no longer the newest
    take more than `keep_bytes`."""

    def __init__(self, disk: Disk, found: Replayed, history: History, *, reserved: int) -> None:
        self.revision = found.revision
        """The newest that is committed."""
        self._disk, self._history = disk, history
        self._index = found.index
        self._reserved = self._ordered = reserved
        self._staged: dict[Key, _Staged] = {}
        self._in_transaction = False
        self.refusing = False
        """Whether the disk did not take the last write."""
        for change in found.changes:
            history.append(change)
        self._clear(found.useless)

    @classmethod
    async def open(cls, path: Path | None, *, keep: int = 10_000, keep_bytes: int = _KEEP_BYTES) -> Store:
        """Without a path it is in memory only."""
        disk: Disk = MemoryDisk()
        contents = Contents()
        if path is not None:
            disk, contents = await JournalDisk.open(path)
        found = await asyncio.to_thread(replay, contents)
        reserved = 0 if contents.reserved < 0 else max(contents.reserved, found.revision) + _LEAP
        try:
            await disk.reserve(reserved)
        except ArgosyError:
            await disk.close()
            raise
        history = History(oldest=contents.oldest, keep=keep, keep_bytes=keep_bytes)
        return cls(disk, found, history, reserved=reserved)

    @property
    def oldest(self) -> int:
        """A watch may start at this revision or later."""
        return self._history.oldest

    def get(self, key: Key) -> Stored | None:
        return self._index.get(key)

    def latest(self, key: Key) -> Stored | None:
        """With what is staged: what a write must start from."""
        staged = self._staged.get(key)
        return staged.state if staged else self._index.get(key)

    async def settled(self) -> None:
        """Until what is staged now is durable or refused. Whoever answers from `latest` without a write of his own waits for this, so that
        who asks again finds what the answer was made of."""
        waiting = [staged.durable for staged in self._staged.values()]
        if waiting:
            await asyncio.wait(waiting)

    def collections(self) -> Names:
        return self._index.collections()

    def count(self, collection: str, namespace: str = "") -> int:
        return self._index.count(collection, namespace)

    def list(
        self, collection: str, namespace: str = "", *, at: int = 0, after: Key | None = None
    ) -> Iterator[Stored]:
        """In upstream's order, as of now or as of revision `at`; whoever reads on later still reads that moment."""
        now = self._index.states(collection, namespace, after)
        if not at or at == self.revision:
            return iter(now)
        if at > self.revision:
            raise _too_large(at, self.revision)
        if at < self.oldest:
            raise expired("The resourceVersion for the provided list is too old.")
        return iter(_undone(now, self._history.feed(collection), namespace, at, after))

    def reserve(self) -> int:
        """The revision to write into the body that is staged next."""
        self._reserved += 1
        return self._reserved

    def stage(
        self, key: Key, revision: int, body: bytes | None, *, last: bytes | None = None
    ) -> Awaitable[Stored | None]:
        """`latest` sees it at once; readers and watches do when it is durable, and then the awaitable is done. When the disk
        refuses, it raises 503, and `latest` forgets everything that is staged."""
        if not self._ordered < revision <= self._reserved:
            raise ValueError(f"revision {revision} is staged out of turn")
        base = self.latest(key)
        if base is None and body is None:
            raise ValueError(f"{key} does not exist, so it cannot be deleted")
        self._ordered = revision
        key = base.key if base else self._index.shared(key)
        state = None if body is None else Stored(key, revision, body)
        staged = _Staged(key, revision, state, last, asyncio.get_running_loop().create_future())
        self._disk.append(
            Entry(revision, *key, body is None, last if body is None else body), partial(self._told, staged)
        )
        self._staged[key] = staged
        return staged.durable

    def snapshot(self) -> Snapshot:
        """Everything that is committed now; no write waits for whoever reads it."""
        return Snapshot(self.revision, self._index.everything())

    def changes(self, collection: str, since: int) -> Watch:
        """Every change after that revision, once and in order. Raises 410 now when it is too old, and later when the reader
        falls behind the history."""
        if since < self.oldest:
            raise too_old(since, self.oldest)
        return Watch(self._history, self._history.feed(collection), since)

    async def close(self) -> None:
        """What is staged becomes durable, then watches end."""
        await self._disk.close()
        self._history.close()

    def _told(self, staged: _Staged, refused: ArgosyError | None) -> None:
        if self._staged.get(staged.key) is staged:
            del self._staged[staged.key]
        self.refusing = refused is not None
        if refused is not None:
            _raise_in(staged.durable, refused)
            return
        if not self._in_transaction:
            # Before the first change of a transaction: the readers of the one before have had their turn since.
            self._in_transaction = True
            self._clear()
            asyncio.get_running_loop().call_soon(self._transaction_over)
        self._commit(staged)
        if not staged.durable.done():
            staged.durable.set_result(staged.state)

    def _transaction_over(self) -> None:
        self._in_transaction = False

    def _commit(self, staged: _Staged) -> None:
        before = self._index.get(staged.key)
        if staged.state is not None:
            self._index.put(staged.state)
        elif before is not None:
            self._index.drop(staged.key)
        self.revision = staged.revision
        self._history.append(_change(staged, before)).wake()

    def _clear(self, useless: Sequence[int] = ()) -> None:
        gone = self._history.trim()
        replaced = (change.replaced for change in gone if change.replaced)
        deletions = (change.revision for change in gone if change.body is None)
        if rows := [*useless, *replaced, *deletions]:
            self._disk.forget(rows, oldest=self.oldest)


def _change(staged: _Staged, before: Stored | None) -> Change:
    body = staged.state.body if staged.state else None
    if before is None:
        return Change(staged.revision, staged.key, body, None, staged.last)
    return Change(staged.revision, staged.key, body, before.body, staged.last, before.revision)


def _undone(now: States, feed: Feed, namespace: str, at: int, after: Key | None) -> States:
    """The list as it was: whatever changed since is put back to the state before its first change."""
    before: dict[Key, Stored | None] = {}
    for change in feed.newer(at):
        if not namespace or change.key.namespace == namespace:
            previous = change.previous
            before[change.key] = None if previous is None else Stored(change.key, change.replaced, previous)
    if not before:
        return now
    kept = (state for state in now if state.key not in before)
    again = (state for state in before.values() if state is not None and _is_after(state, after))
    return sorted(chain(kept, again), key=place)


def _is_after(state: Stored, after: Key | None) -> bool:
    return after is None or place(state) > (f"{after.namespace}/", after.name)


def _too_large(at: int, current: int) -> ApiError:
    error = timeout(f"Timeout: Too large resource version: {at}, current: {current}", retry_after=1)
    error.causes = (Cause("ResourceVersionTooLarge", "Too large resource version", ""),)
    return error


def _raise_in(waiting: asyncio.Future[Stored | None], refused: ArgosyError) -> None:
    if not waiting.done():
        error = unavailable("the cluster could not write the change to its disk")
        error.__cause__ = refused
        waiting.set_exception(error)
