"""The store against a naive one that keeps every state of every revision: same lists, same changes, through any restart.

Each watch keeps a copy of its collection as an informer does: a list, then changes. It must always equal a fresh list.
"""

from __future__ import annotations

import asyncio
import itertools
import shutil
import tempfile
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from argosy.kube.errors import ApiError
from argosy.kube.objects import Key
from argosy.kube.server.store import Change, Store, Stored, Watch

Result = TypeVar("Result")
KEYS = [
    Key(collection, namespace, name) for collection in ("pods", "nodes") for namespace in ("", "a", "a-b") for name in "xy"
]  # fmt: skip
WRITES = st.lists(st.tuples(st.sampled_from(KEYS), st.integers(0, 3)), min_size=1, max_size=6)
Snapshot = dict[Key, Stored]


@dataclass
class Informer:
    collection: str
    watch: Watch
    copy: Snapshot
    seen: list[int] = field(default_factory=list)

    def take(self, change: Change) -> None:
        assert change.key.collection == self.collection
        assert change.revision > (self.seen[-1] if self.seen else 0)
        before = self.copy.pop(change.key, None)
        assert change.previous == (before.body if before else None)
        if change.body is not None:
            self.copy[change.key] = Stored(change.key, change.revision, change.body)
        else:
            assert change.last == body(change.key, change.revision)
        self.seen.append(change.revision)


def body(key: Key, revision: int) -> bytes:
    return f"{'/'.join(key)}@{revision}".encode()


class StoreMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="argosy-store-"))
        self.loop = asyncio.Runner()
        self.files = 0
        self.states: dict[int, Snapshot] = {0: {}}
        self.deleted: dict[int, Key] = {}
        self.highest = 0
        self.informers: list[Informer] = []

    def run(self, work: Coroutine[object, object, Result]) -> Result:
        return self.loop.run(work)

    @property
    def file(self) -> Path:
        return self.folder / f"{self.files}.db"

    @property
    def newest(self) -> Snapshot:
        return self.states[max(self.states)]

    @initialize(keep=st.integers(1, 40), keep_bytes=st.sampled_from([60, 1 << 20]))
    def start(self, keep: int, keep_bytes: int) -> None:
        self.keep, self.keep_bytes = keep, keep_bytes
        self.store = self.run(self.opened())

    async def opened(self) -> Store:
        return await Store.open(self.file, keep=self.keep, keep_bytes=self.keep_bytes)

    @rule(writes=WRITES)
    def write(self, writes: list[tuple[Key, int]]) -> None:
        async def work() -> None:
            durable, states = self.stage(writes)
            assert self.store.revision in self.states, "seen before it was durable"
            results = await asyncio.gather(*durable)
            self.states |= states
            for result, revision in zip(results, states, strict=True):
                assert result is None or states[revision][result.key] == result

        self.run(work())

    @rule(writes=WRITES)
    def write_what_the_disk_refuses(self, writes: list[tuple[Key, int]]) -> None:
        async def work() -> None:
            journal = self.store._disk._journal
            await journal.read("PRAGMA query_only = ON")
            durable, _ = self.stage(writes)
            failed = await asyncio.gather(*durable, return_exceptions=True)
            await journal.read("PRAGMA query_only = OFF")
            assert all(isinstance(one, ApiError) and one.code == 503 for one in failed)

        self.run(work())

    @rule()
    def restart(self) -> None:
        async def work() -> Store:
            await self.store.close()
            return await self.opened()

        self.store = self.run(work())
        self.resume()

    @rule(writes=WRITES)
    def lose_the_process_while_writes_are_staged(self, writes: list[tuple[Key, int]]) -> None:
        async def work() -> Store:
            durable, _ = self.stage(writes)
            before, after = self.file, self.folder / f"{self.files + 1}.db"
            for suffix in ("", "-wal"):
                shutil.copyfile(f"{before}{suffix}", f"{after}{suffix}")
            self.files += 1
            await asyncio.gather(*durable)
            await self.store.close()
            return await self.opened()

        self.store = self.run(work())
        self.resume()

    def resume(self) -> None:
        """Every informer goes on where it was, or lists again when that is too old."""
        for informer in self.informers:
            if informer.watch.since >= self.store.oldest:
                informer.watch = self.store.changes(informer.collection, informer.watch.since)
                continue
            with pytest.raises(ApiError, match="too old"):
                self.store.changes(informer.collection, informer.watch.since)
            self.relist(informer)

    def stage(self, writes: list[tuple[Key, int]]) -> tuple[list, dict[int, Snapshot]]:
        durable, states, now = [], {}, dict(self.newest)
        for key, kind in writes:
            revision = self.store.reserve()
            assert revision > self.highest, "a revision was given out twice"
            self.highest = revision
            text = body(key, revision)
            if kind == 0 and key in now:
                del now[key]
                durable.append(self.store.stage(key, revision, None, last=text))
            elif kind > 0:
                now[key] = Stored(key, revision, text)
                durable.append(self.store.stage(key, revision, text))
            else:
                continue
            assert self.store.latest(key) == now.get(key)
            states[revision] = dict(now)
        return durable, states

    @rule(collection=st.sampled_from(["pods", "nodes"]))
    def watch(self, collection: str) -> None:
        copy = {stored.key: stored for stored in self.store.list(collection)}
        self.informers.append(Informer(collection, self.store.changes(collection, self.store.revision), copy))

    @precondition(lambda self: self.informers)
    @rule(which=st.integers(0), singly=st.booleans())
    def read(self, which: int, singly: bool) -> None:
        informer = self.informers[which % len(self.informers)]
        if self.has_fallen_behind(informer):
            with pytest.raises(ApiError, match="too old"):
                informer.watch.ready()
            self.relist(informer)
        elif singly and self.is_behind(informer):
            informer.take(self.run(anext(informer.watch)))  # type: ignore[arg-type]
            return
        for change in informer.watch.ready():
            informer.take(change)
        assert not self.is_behind(informer)
        assert informer.copy == self.of(self.newest, informer.collection)

    def history(self, collection: str) -> list[int]:
        """The revisions that changed it."""
        states = sorted(self.states.items())
        return [
            revision
            for (_, before), (revision, after) in itertools.pairwise(states)
            if self.of(before, collection) != self.of(after, collection)
        ]

    def is_behind(self, informer: Informer) -> bool:
        return any(revision > informer.watch.since for revision in self.history(informer.collection))

    def has_fallen_behind(self, informer: Informer) -> bool:
        """A change that it has not read is no longer there."""
        return any(
            informer.watch.since < revision <= self.store.oldest
            for revision in self.history(informer.collection)
        )

    def relist(self, informer: Informer) -> None:
        informer.copy = {stored.key: stored for stored in self.store.list(informer.collection)}
        informer.watch = self.store.changes(informer.collection, self.store.revision)

    @rule(
        back=st.integers(0, 60),
        key=st.sampled_from(KEYS),
        continued=st.booleans(),
        namespace=st.sampled_from(["", "a", "a-b"]),
    )
    def list_as_it_was(self, back: int, key: Key, continued: bool, namespace: str) -> None:
        revisions = sorted(self.states)
        at = revisions[-1 - back % len(revisions)]
        if at == 0:
            return
        after = key if continued else None
        if at < self.store.oldest:
            with pytest.raises(ApiError, match="too old"):
                self.store.list(key.collection, namespace, at=at, after=after)
            return
        listed = list(self.store.list(key.collection, namespace, at=at, after=after))
        expected = [
            stored
            for stored in self.of(self.states[at], key.collection).values()
            if namespace in {"", stored.key.namespace} and (after is None or place(stored.key) > place(after))
        ]
        assert listed == sorted(expected, key=lambda stored: place(stored.key))

    @staticmethod
    def of(snapshot: Snapshot, collection: str) -> Snapshot:
        return {key: stored for key, stored in snapshot.items() if key.collection == collection}

    @invariant()
    def lists_are_what_was_acknowledged(self) -> None:
        if not hasattr(self, "store"):
            return
        assert self.store.revision == max(self.states)
        for collection in ("pods", "nodes"):
            expected = self.of(self.newest, collection)
            assert {stored.key: stored for stored in self.store.list(collection)} == expected
            assert self.store.count(collection) == len(expected)
        for key in KEYS:
            assert self.store.get(key) == self.store.latest(key) == self.newest.get(key)

    @invariant()
    def as_much_history_is_there_as_was_asked_for(self) -> None:
        if hasattr(self, "store") and self.keep_bytes > 1000:
            kept = [revision for revision in self.states if revision > self.store.oldest]
            assert len(kept) >= min(self.keep, len(self.states) - 1)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.run(self.store.close())
        self.loop.close()
        shutil.rmtree(self.folder)


def place(key: Key) -> bytes:
    return f"{key.namespace}/{key.name}".encode()


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(
    max_examples=30, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
