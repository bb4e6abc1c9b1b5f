"""The durable file: what it acknowledges stays, what it refuses leaves no trace, and it opens only what is its own."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from argosy.kit.errors import ArgosyError
from argosy.kit.journal import Journal, Step

APPLICATION = 0x54455354
SCHEMA = ("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",)


def thing(number: int, name: str = "x") -> Step:
    return "INSERT INTO things VALUES", [(number, name)]


async def opened(path: Path, *more: str) -> Journal:
    return await Journal.open(path, application=APPLICATION, schema=(*SCHEMA, *more))


async def names(journal: Journal) -> list[object]:
    return [name for (name,) in await journal.read("SELECT name FROM things ORDER BY id")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "things.db"


@pytest.fixture
async def journal(path: Path) -> AsyncIterator[Journal]:
    journal = await opened(path)
    yield journal
    await journal.close()


async def test_what_was_written_is_there_after_reopening(path: Path) -> None:
    first = await opened(path)
    await first.write(thing(1, "a"), thing(2, "b"))
    await first.close()
    again = await opened(path)
    assert await names(again) == ["a", "b"]
    await again.close()


async def test_what_is_staged_when_it_closes_is_still_written(path: Path) -> None:
    journal = await opened(path)
    writing = asyncio.ensure_future(journal.write(thing(1)))
    await asyncio.sleep(0)
    await journal.close()
    await writing
    again = await opened(path)
    assert len(await names(again)) == 1
    await again.close()


async def test_a_closed_journal_refuses_and_may_be_closed_again(journal: Journal) -> None:
    await journal.close()
    await journal.close()
    with pytest.raises(ArgosyError) as refused:
        await journal.write(thing(1))
    assert refused.value.code == "journal.closed"


def traced(journal: Journal) -> list[str]:
    """The statements that its thread runs."""
    ran: list[str] = []
    journal._thread.submit(journal._connection.set_trace_callback, ran.append).result()
    return ran


async def running(journal: Journal) -> None:
    """Until a transaction has begun with all that is staged."""
    await asyncio.sleep(0)
    assert not journal._staged


async def test_many_writers_share_a_transaction(journal: Journal) -> None:
    ran = traced(journal)
    await asyncio.gather(*(journal.write(thing(number)) for number in range(1200)))
    assert len(await names(journal)) == 1200
    assert sum(statement.startswith("COMMIT") for statement in ran) == 1


async def test_what_is_handed_in_while_a_transaction_runs_goes_into_the_next(journal: Journal) -> None:
    ran = traced(journal)
    writing = [asyncio.ensure_future(journal.write(thing(1)))]
    await asyncio.sleep(0)
    await running(journal)
    writing += [asyncio.ensure_future(journal.write(thing(number))) for number in (2, 3, 4)]
    await asyncio.gather(*writing)
    assert len([statement for statement in ran if statement.startswith("INSERT")]) == 2


async def test_a_write_is_done_as_a_whole_or_not_at_all(journal: Journal) -> None:
    await journal.write(thing(1))
    with pytest.raises(ArgosyError) as refused:
        await journal.write(thing(2), ("UPDATE things SET name = ?", [("changed",)]), thing(1, "again"))
    assert refused.value.code == "journal.refused"
    assert await names(journal) == ["x"]


async def test_a_refusal_ends_all_that_is_staged_and_nothing_that_comes_later(journal: Journal) -> None:
    await journal.write(thing(1))
    told: list[tuple[int, bool]] = []

    def stage(number: int, row: int) -> None:
        journal.stage([thing(row)], lambda refused: told.append((number, refused is not None)))

    stage(1, 1)
    await running(journal)
    stage(2, 2)
    await asyncio.wait([journal._committing])
    stage(3, 3)
    await journal.write(thing(4))
    assert told == [(1, True), (2, True), (3, False)]
    assert len(await names(journal)) == 3


@pytest.mark.parametrize("value", ["\ud800", 2**70, object()], ids=["surrogate", "too large", "no value"])
async def test_a_value_that_cannot_be_stored_is_an_error_and_not_the_end(
    journal: Journal, value: str
) -> None:
    with pytest.raises(ArgosyError):
        await journal.write(thing(1, value))
    await journal.write(thing(2, "good"))
    assert await names(journal) == ["good"]


async def test_a_full_disk_refuses_and_later_writes_work_again(journal: Journal) -> None:
    [(pages,)] = await journal.read("PRAGMA page_count")
    await journal.read(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(ArgosyError, match="full") as refused:
        await journal.write(thing(1, "x" * 100_000))
    assert refused.value.code == "journal.refused"
    assert "room" in refused.value.cure
    await journal.read("PRAGMA max_page_count = 100000")
    await journal.write(thing(1, "fits"))
    assert await names(journal) == ["fits"]


async def test_whoever_stops_waiting_does_not_take_the_write_back(journal: Journal) -> None:
    writing = asyncio.ensure_future(journal.write(thing(1)))
    await asyncio.sleep(0)
    writing.cancel()
    await journal.write(thing(2))
    assert writing.cancelled()
    assert len(await names(journal)) == 2


async def test_each_commit_waits_for_the_disk(journal: Journal) -> None:
    assert await journal.read("PRAGMA journal_mode") == [("wal",)]
    assert await journal.read("PRAGMA synchronous") == [(2,)]


async def test_only_its_owner_may_read_the_file(journal: Journal, path: Path) -> None:
    await journal.write(thing(1))
    for file in path.parent.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600, file.name


async def test_a_file_of_an_older_version_is_brought_up_to_date(path: Path) -> None:
    old = await opened(path)
    await old.write(thing(1, "kept"))
    await old.close()
    new = await opened(path, "ALTER TABLE things ADD COLUMN colour TEXT")
    assert await new.read("SELECT name, colour FROM things") == [("kept", None)]
    await new.close()
    with pytest.raises(ArgosyError) as refused:
        await opened(path)
    assert refused.value.code == "journal.newer"


async def test_a_schema_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    with pytest.raises(ArgosyError, match="syntax"):
        await opened(path, "NONSENSE")
    journal = await opened(path)
    assert await names(journal) == []
    await journal.close()


async def test_two_may_not_have_it_open(journal: Journal, path: Path) -> None:
    with pytest.raises(ArgosyError) as refused:
        await opened(path)
    assert refused.value.code == "journal.in_use"


def no_database(path: Path) -> None:
    path.write_bytes(b"these are notes and not a database\n" * 1000)


def torn_header(path: Path) -> None:
    path.write_bytes(b"\0" * 50 + path.read_bytes()[50:])


def torn_pages(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))


def cut_short(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2 // 4096 * 4096])


@pytest.mark.parametrize("damage", [no_database, torn_header, torn_pages, cut_short])
async def test_a_damaged_file_is_named_and_not_touched(path: Path, damage: Callable[[Path], None]) -> None:
    journal = await opened(path)
    await journal.write(("INSERT INTO things VALUES", [(number, "x" * 100) for number in range(1000)]))
    await journal.close()
    damage(path)
    before = path.read_bytes()
    with pytest.raises(ArgosyError) as refused:
        await opened(path)
    assert refused.value.code == "journal.damaged"
    assert str(path) in refused.value.message
    assert "backup" in refused.value.cure
    assert path.read_bytes() == before


async def test_a_database_of_something_else_is_not_touched(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (id)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(ArgosyError) as refused:
        await opened(path)
    assert refused.value.code == "journal.foreign"
    assert path.read_bytes() == before


async def test_a_place_where_no_file_can_be_is_named(tmp_path: Path) -> None:
    for place in (tmp_path / "no" / "folder.db", tmp_path):
        with pytest.raises(ArgosyError) as refused:
            await opened(place)
        assert refused.value.code == "journal.unusable"
        assert str(place) in refused.value.message
