"""All objects of a moment as lines, and a store again: nothing is missing, and no revision is ever given out twice."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from argosy.kit.errors import ArgosyError
from argosy.kube.errors import ApiError
from argosy.kube.objects import Key
from argosy.kube.server.store import Store, Stored
from argosy.kube.server.store.snapshot import bring_back, of_file, pieces

NOW = datetime(2026, 11, 19, 12, tzinfo=UTC)
WEB, DB, NODE = Key("pods", "default", "web"), Key("pods", "other", "db"), Key("nodes", "", "één")


async def put(store: Store, key: Key, size: int = 0) -> Stored:
    revision = store.reserve()
    stored = await store.stage(key, revision, b'{"at":%d,"long":"%s"}' % (revision, b"x" * size))
    assert stored is not None
    return stored


def everything(store: Store) -> list[Stored]:
    return [state for collection in store.collections() for state in store.list(collection)]


def lines_of(store: Store) -> list[bytes]:
    return b"".join(pieces(store.snapshot())).splitlines(keepends=True)


async def restored(path: Path, lines: list[bytes], now: datetime = NOW) -> Store:
    await bring_back(path, lines, now)
    return await Store.open(path)


async def test_what_was_committed_comes_back_as_it_was(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "old.db")
    for key in (WEB, DB, NODE):
        await put(store, key)
    await put(store, DB)
    await store.stage(WEB, store.reserve(), None, last=b"{}")
    before, lines = everything(store), lines_of(store)
    store.stage(WEB, store.reserve(), b"{}")  # not yet durable, so nobody was answered

    again = await restored(tmp_path / "new.db", lines)

    assert everything(again) == before
    await store.close()
    await again.close()


async def test_a_snapshot_stays_what_it_was_while_writes_go_on() -> None:
    store = await Store.open(None)
    first = await put(store, WEB)
    snapshot = store.snapshot()
    await put(store, WEB)
    await put(store, DB)
    assert (snapshot.revision, snapshot.states) == (first.revision, [first])
    await store.close()


async def test_a_store_that_nobody_has_open_gives_the_same_lines(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "old.db")
    for number in range(40):
        await put(store, Key("pods", "default", f"web-{number % 10}"))
    lines = lines_of(store)
    await store.close()
    found = b"".join(pieces(await of_file(tmp_path / "old.db"))).splitlines(keepends=True)
    assert (found[0], sorted(found)) == (lines[0], sorted(lines))


async def test_large_objects_are_split_into_pieces(tmp_path: Path) -> None:
    store = await Store.open(None)
    for number in range(9):
        await put(store, Key("pods", "default", f"web-{number}"), size=200_000)
    found = list(pieces(store.snapshot()))
    assert 3 <= len(found) <= 9
    again = await restored(tmp_path / "new.db", b"".join(found).splitlines(keepends=True))
    assert everything(again) == everything(store)
    await again.close()


async def test_revisions_go_on_beyond_all_that_were_given_out_whatever_happened_meanwhile(
    tmp_path: Path,
) -> None:
    store = await Store.open(tmp_path / "old.db")
    await put(store, WEB)
    lines = lines_of(store)
    seen = [(await put(store, DB)).revision for _ in range(20)]
    await store.close()

    for number in range(3):  # the same backup, restored again and again, each time used for a while
        again = await restored(tmp_path / f"{number}.db", lines, NOW + timedelta(seconds=number))
        written = [(await put(again, DB)).revision for _ in range(20)]
        assert min(written) > max(seen)
        seen += written
        await again.close()


async def test_whoever_watches_from_before_is_told_to_list_again(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "old.db")
    await put(store, WEB)
    lines = lines_of(store)
    seen_later = (await put(store, DB)).revision
    await store.close()

    again = await restored(tmp_path / "new.db", lines)

    with pytest.raises(ApiError) as gone:
        again.changes("pods", seen_later)
    assert gone.value.code == 410
    watch = again.changes("pods", again.revision)
    written = await put(again, DB)
    assert [change.revision for change in watch.ready()] == [written.revision]
    await again.close()


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [b"{}\n"],
        [b'{"revision":1,"objects":1}\n'],
        [b'{"revision":1,"objects":0}\n', b'[1,"pods","","web",{}]\n'],
        [b'{"revision":1,"objects":1}\n', b'[1,"pods","","web"]\n'],
        [b'{"revision":1,"objects":1}\n', b'[1,"pods","","web",{"torn"'],
    ],
)
async def test_lines_that_are_not_whole_are_refused(tmp_path: Path, lines: list[bytes]) -> None:
    with pytest.raises(ValueError):
        await bring_back(tmp_path / "new.db", lines, NOW)


async def test_a_file_that_is_missing_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(ArgosyError) as missing:
        await of_file(tmp_path / "objects.db")
    assert missing.value.code == "journal.missing"
    assert not (tmp_path / "objects.db").exists()


def test_an_empty_store_is_a_backup_too(tmp_path: Path) -> None:
    async def there_and_back() -> list[Stored]:
        store = await Store.open(None)
        again = await restored(tmp_path / "new.db", lines_of(store))
        found = everything(again)
        await again.close()
        return found

    assert asyncio.run(there_and_back()) == []
