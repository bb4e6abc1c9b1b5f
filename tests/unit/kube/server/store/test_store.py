"""What a write, a reader and a watch may rely on. `test_store_machine` holds the store against a naive one."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from argosy.kit.errors import ArgosyError
from argosy.kube.errors import ApiError
from argosy.kube.objects import Key
from argosy.kube.server.store import Change, Store, Stored, Watch

WEB, DB = Key("pods", "default", "web"), Key("pods", "default", "db")


async def put(store: Store, key: Key, text: str = "") -> Stored:
    revision = store.reserve()
    stored = await store.stage(key, revision, f"{text}@{revision}".encode())
    assert stored is not None
    return stored


async def delete(store: Store, key: Key) -> int:
    revision = store.reserve()
    assert await store.stage(key, revision, None, last=f"gone@{revision}".encode()) is None
    return revision


def journal_of(store: Store):
    return store._disk._journal


async def refuse(store: Store, refusing: bool = True) -> None:
    await journal_of(store).read(f"PRAGMA query_only = {'ON' if refusing else 'OFF'}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "objects.db"


@pytest.fixture(params=["disk", "memory"])
async def store(request: pytest.FixtureRequest, path: Path) -> AsyncIterator[Store]:
    store = await Store.open(path if request.param == "disk" else None)
    yield store
    await store.close()


async def test_a_write_is_seen_by_writers_at_once_and_by_readers_when_it_is_durable(store: Store) -> None:
    watch = store.changes("pods", 0)
    durable = store.stage(WEB, store.reserve(), b"body")
    assert store.latest(WEB) == Stored(WEB, 1, b"body")
    assert store.get(WEB) is None and store.revision == 0 and store.count("pods") == 0
    assert watch.ready() == []
    assert await durable == Stored(WEB, 1, b"body")
    assert store.get(WEB) == store.latest(WEB) == Stored(WEB, 1, b"body")
    assert store.revision == 1 and store.count("pods") == 1 and store.collections() == ["pods"]
    assert watch.ready() == [Change(1, WEB, b"body", None)]


async def test_whoever_waits_until_all_is_settled_reads_it(store: Store) -> None:
    durable = store.stage(WEB, store.reserve(), b"body")
    assert store.get(WEB) is None
    await store.settled()
    assert store.get(WEB) == Stored(WEB, 1, b"body")
    await durable
    await store.settled()  # nothing to wait for


async def test_of_several_writes_before_the_next_commit_the_newest_counts(store: Store) -> None:
    writes = [store.stage(WEB, store.reserve(), body) for body in (b"1", b"2", None, b"4")]
    assert store.latest(WEB) == Stored(WEB, 4, b"4")
    await writes[0]
    assert store.latest(WEB) == Stored(WEB, 4, b"4")
    await asyncio.gather(*writes)
    assert store.get(WEB) == Stored(WEB, 4, b"4")
    assert [change.body for change in store.changes("pods", 0).ready()] == [b"1", b"2", None, b"4"]


async def test_a_deletion_tells_the_state_before_and_the_last_one(store: Store) -> None:
    stored = await put(store, WEB)
    revision = await delete(store, WEB)
    assert store.get(WEB) is None and store.latest(WEB) is None and store.collections() == []
    [deletion] = store.changes("pods", stored.revision).ready()
    assert (deletion.body, deletion.previous, deletion.last) == (
        None,
        stored.body,
        f"gone@{revision}".encode(),
    )


async def test_a_writer_that_stops_waiting_takes_nothing_back(store: Store) -> None:
    writing = asyncio.ensure_future(put(store, WEB))
    await asyncio.sleep(0)
    writing.cancel()
    await put(store, DB)
    assert writing.cancelled()
    assert [stored.key for stored in store.list("pods")] == [DB, WEB]


async def test_revisions_that_were_reserved_and_not_used_are_skipped(store: Store) -> None:
    store.reserve()
    assert (await put(store, WEB)).revision == 2
    assert [change.revision for change in store.changes("pods", 0).ready()] == [2]


async def test_a_write_out_of_turn_is_a_mistake_of_the_caller(store: Store) -> None:
    first, second = store.reserve(), store.reserve()
    durable = store.stage(WEB, second, b"")
    for revision in (first, second, second + 1):
        with pytest.raises(ValueError, match="out of turn"):
            store.stage(DB, revision, b"")
    with pytest.raises(ValueError, match="does not exist"):
        store.stage(DB, store.reserve(), None)
    await durable


async def test_a_list_stays_as_it_was_while_it_is_read(store: Store) -> None:
    await put(store, WEB)
    reading = store.list("pods")
    await delete(store, WEB)
    assert [stored.key for stored in reading] == [WEB]


async def test_a_list_can_be_continued_as_it_was(store: Store) -> None:
    keys = [Key("pods", "default", f"pod-{number}") for number in range(6)]
    for key in keys:
        await put(store, key, "first")
    then = store.revision
    await delete(store, keys[4])
    await put(store, keys[5], "second")
    await put(store, Key("pods", "default", "pod-3a"))
    await put(store, Key("pods", "other", "pod-5"))
    rest = list(store.list("pods", "default", at=then, after=keys[2]))
    assert [(stored.key, stored.revision, stored.body) for stored in rest] == [
        (keys[number], number + 1, f"first@{number + 1}".encode()) for number in (3, 4, 5)
    ]


async def test_a_list_of_the_future_is_told_to_wait(store: Store) -> None:
    await put(store, WEB)
    with pytest.raises(ApiError, match="Too large resource version: 7, current: 1") as refused:
        store.list("pods", at=7)
    assert (refused.value.code, refused.value.reason) == (504, "Timeout")
    assert refused.value.causes[0].reason == "ResourceVersionTooLarge"


async def test_a_watch_waits_and_is_woken(store: Store) -> None:
    watch = store.changes("pods", 0)
    waiting = asyncio.ensure_future(anext(watch))
    await put(store, Key("services", "default", "web"))
    assert not waiting.done()
    stored = await put(store, WEB)
    assert (await waiting).body == stored.body
    assert watch.since == stored.revision


async def test_a_watch_that_was_interrupted_misses_nothing(store: Store) -> None:
    watch = store.changes("pods", 0)
    waiting = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    waiting.cancel()
    await put(store, WEB)
    await put(store, DB)
    assert [(await anext(watch)).revision, (await anext(watch)).revision] == [1, 2]


async def test_a_watch_from_a_revision_to_come_is_silent_until_then(store: Store) -> None:
    watch = store.changes("pods", 2)
    other = store.changes("pods", 2)
    for _ in range(3):
        await put(store, WEB)
    assert [change.revision for change in watch.ready()] == [3]
    assert (await anext(other)).revision == 3


async def test_watches_end_when_the_store_is_closed(store: Store) -> None:
    watch, late = store.changes("pods", 0), store.changes("nothing", 0)
    await put(store, WEB)
    waiting = asyncio.ensure_future(anext(late))
    await asyncio.sleep(0)
    await store.close()
    assert [change.revision async for change in watch] == [1]
    with pytest.raises(StopAsyncIteration):
        await waiting


async def test_a_reader_that_falls_behind_is_told_to_list_again() -> None:
    store = await Store.open(None, keep=3)
    watch, quiet = store.changes("pods", 0), store.changes("services", 0)
    for _ in range(5):
        await put(store, WEB)
    assert store.oldest == 1, "three are kept, and the one that came last"
    for read in (watch.ready, lambda: store.changes("pods", 0)):
        with pytest.raises(ApiError, match=r"too old resource version: 0 \(1\)") as refused:
            read()
        assert (refused.value.code, refused.value.reason) == (410, "Expired")
    with pytest.raises(ApiError):
        await anext(watch)
    with pytest.raises(ApiError, match="The resourceVersion for the provided list is too old") as refused:
        store.list("pods", at=-1)
    assert refused.value.code == 410
    assert quiet.ready() == []


async def test_a_burst_that_is_larger_than_the_history_reaches_whoever_is_awake() -> None:
    store = await Store.open(None, keep=3)
    seen: list[int] = []

    async def read(watch: Watch) -> None:
        async for change in watch:
            seen.append(change.revision)

    reading = asyncio.ensure_future(read(store.changes("pods", 0)))
    for _ in range(3):
        await asyncio.gather(*(put(store, key) for key in (WEB, DB) for _ in range(5)))
    await store.close()
    await reading
    assert seen == list(range(1, 31))


async def test_the_history_holds_only_so_many_bytes_of_what_is_replaced() -> None:
    store = await Store.open(None, keep_bytes=10_000)
    for _ in range(50):
        await store.stage(WEB, store.reserve(), b"x" * 1000)
    assert store.revision - store.oldest == 11, "ten that were replaced, and what was written last"
    assert len(store.changes("pods", store.oldest).ready()) == 11


async def test_after_a_restart_objects_and_watches_go_on(path: Path) -> None:
    store = await Store.open(path)
    first = await put(store, WEB, "one")
    await put(store, WEB, "two")
    await delete(store, WEB)
    await put(store, DB)
    before = store.changes("pods", first.revision).ready()
    await store.close()
    again = await Store.open(path)
    assert again.revision == 4 and again.oldest == 0
    assert [stored.key for stored in again.list("pods")] == [DB]
    assert again.changes("pods", first.revision).ready() == before
    assert list(again.list("pods", at=first.revision)) == [first]
    await again.close()


async def test_revisions_rise_over_restarts_even_those_that_nobody_saw(path: Path) -> None:
    used: list[int] = []
    for _ in range(4):
        store = await Store.open(path)
        used += [store.reserve(), store.reserve()]
        await store.close()
    assert used == sorted(set(used))


async def test_rows_leave_the_file_when_no_history_needs_them(path: Path) -> None:
    store = await Store.open(path, keep=20)
    await put(store, DB)
    for number in range(200):
        await put(store, WEB)
        await put(store, Key("pods", "default", f"passing-{number}"))
        await delete(store, Key("pods", "default", f"passing-{number}"))
    await store.close()
    rows = sqlite3.connect(path)
    assert rows.execute("SELECT count(*) FROM changes").fetchone()[0] <= 2 + 20 + 2
    rows.close()
    again = await Store.open(path, keep=20)
    assert [stored.key for stored in again.list("pods")] == [DB, WEB]
    with pytest.raises(ApiError):
        again.changes("pods", again.oldest - 1)
    await again.close()


async def test_a_shorter_history_than_before_clears_the_file(path: Path) -> None:
    store = await Store.open(path)
    for _ in range(50):
        await put(store, WEB)
    await store.close()
    again = await Store.open(path, keep=1)
    await again.close()
    rows = sqlite3.connect(path)
    assert rows.execute("SELECT revision FROM changes ORDER BY 1").fetchall() == [(49,), (50,)]
    rows.close()


async def test_when_the_disk_refuses_writers_see_what_is_durable_and_may_go_on(path: Path) -> None:
    store = await Store.open(path)
    kept = await put(store, WEB)
    watch = store.changes("pods", store.revision)
    await refuse(store)
    lost = [
        store.stage(WEB, store.reserve(), b"lost"),
        store.stage(DB, store.reserve(), b"lost"),
        store.stage(DB, store.reserve(), None),
    ]
    for failing in lost:
        with pytest.raises(ApiError, match="could not write") as refused:
            await failing
        assert (refused.value.code, refused.value.reason) == (503, "ServiceUnavailable")
        assert str(path) not in refused.value.message
        assert store.latest(WEB) == store.get(WEB) == kept
        assert store.latest(DB) is None
    assert watch.ready() == [] and store.revision == kept.revision
    assert store.refusing
    await refuse(store, False)
    stored = await put(store, DB)
    assert not store.refusing
    assert stored.revision == 5
    assert [change.revision for change in watch.ready()] == [5]
    await store.close()
    again = await Store.open(path)
    assert [one.body for one in again.list("pods")] == [stored.body, kept.body]
    await again.close()


async def test_what_a_full_disk_left_behind_is_cleared_by_the_next_start(path: Path) -> None:
    store = await Store.open(path, keep=1)
    for _ in range(3):
        await put(store, WEB)
    await refuse(store)
    store._clear()
    await asyncio.wait([journal_of(store)._committing])
    await refuse(store, False)
    for _ in range(3):
        await put(store, WEB)
    await store.close()
    await (await Store.open(path, keep=1)).close()
    rows = sqlite3.connect(path)
    assert rows.execute("SELECT revision FROM changes ORDER BY 1").fetchall() == [(5,), (6,)]
    rows.close()


async def test_after_it_was_closed_writes_are_refused(path: Path) -> None:
    store = await Store.open(path)
    closing = [store.stage(WEB, store.reserve(), b"in time")]
    await asyncio.gather(store.close(), *closing)
    with pytest.raises(ApiError):
        await store.stage(WEB, store.reserve(), b"late")
    assert store.latest(WEB) == store.get(WEB) == Stored(WEB, 1, b"in time")


async def test_a_file_of_something_else_is_named(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(ArgosyError, match="damaged") as refused:
        await Store.open(path)
    assert str(path) in refused.value.message


async def test_an_object_costs_little_beside_its_body() -> None:
    store = await Store.open(None, keep=100)
    tracemalloc.start()
    try:
        for start in range(0, 10_000, 1000):
            writes = [
                store.stage(Key("configmaps", f"namespace-{number % 10}", f"config-{number}"), store.reserve(), bytes(500))
                for number in range(start, start + 1000)
            ]  # fmt: skip
            await asyncio.gather(*writes)
        del writes
        store._clear()
        gc.collect()
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert used / 10_000 - 500 < 320
