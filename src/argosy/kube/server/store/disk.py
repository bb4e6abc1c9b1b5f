"""Where changes are durable: a table of them in a journal, or nothing but memory. Used by `store` alone.

The table is the log and the state at once. The newest row of a key is the object; rows that a newer one has replaced stay as long
as the history needs them, so that watches go on after a restart. The revision up to which history was forgotten is written with
each deletion of rows, because from then on older rows tell only part of what happened.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from argosy.kit.errors import ArgosyError
from argosy.kit.journal import Journal, Row, Told

APPLICATION = 0x41524B31
_CHANGES = """CREATE TABLE changes (revision INTEGER PRIMARY KEY, collection TEXT NOT NULL, namespace TEXT NOT NULL,
name TEXT NOT NULL, deleted INTEGER NOT NULL, body BLOB)"""
SCHEMA = (
    _CHANGES,
    "CREATE TABLE marks (oldest INTEGER NOT NULL, reserved INTEGER NOT NULL)",
    "INSERT INTO marks VALUES (0, -1)",
)
_AT_ONCE = 1000
_ALL = "SELECT revision, collection, namespace, name, deleted, body FROM changes ORDER BY revision"


class Entry(NamedTuple):
    """`body` of a deletion is the final state that watches are told."""

    revision: int
    collection: str
    namespace: str
    name: str
    deleted: bool
    body: bytes | None


class Contents(NamedTuple):
    """Of everything after `oldest` each change is among the entries, which are in order. `reserved` is where the process
    before began to reserve revisions; -1 when there was none."""

    oldest: int = 0
    reserved: int = -1
    entries: Iterable[Entry] = ()


class Disk(Protocol):
    def append(self, entry: Entry, told: Told) -> None: ...

    def forget(self, revisions: Iterable[int], *, oldest: int) -> None: ...

    async def reserve(self, revision: int) -> None: ...

    async def close(self) -> None: ...


class JournalDisk:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    @classmethod
    async def open(cls, path: Path) -> tuple[JournalDisk, Contents]:
        journal = await Journal.open(path, application=APPLICATION, schema=SCHEMA)
        try:
            [marks] = await journal.read("SELECT oldest, reserved FROM marks")
            entries = map(Entry._make, await journal.read(_ALL))
        except ArgosyError:
            await journal.close()
            raise
        oldest, reserved = cast("tuple[int, int]", marks)
        return cls(journal), Contents(oldest, reserved, entries)

    def append(self, entry: Entry, told: Told) -> None:
        self._journal.stage([("INSERT INTO changes VALUES", [entry])], told)

    def forget(self, revisions: Iterable[int], *, oldest: int) -> None:
        """A refusal leaves rows that nobody needs; `replay` finds them."""
        gone: Row = (json.dumps([*revisions]),)
        self._journal.stage(
            [
                ("DELETE FROM changes WHERE revision IN (SELECT value FROM json_each(?))", [gone]),
                ("UPDATE marks SET oldest = ?", [(oldest,)]),
            ],
            lambda _: None,
        )

    async def reserve(self, revision: int) -> None:
        await self._journal.write(("UPDATE marks SET reserved = ?", [(revision,)]))

    async def close(self) -> None:
        await self._journal.close()


async def found(path: Path, revision: int, entries: Iterator[Entry]) -> None:
    """A new file that holds these states and, of everything up to `revision`, no history."""
    journal = await Journal.open(path, application=APPLICATION, schema=SCHEMA)
    try:
        while some := list(islice(entries, _AT_ONCE)):
            await journal.write(("INSERT INTO changes VALUES", some))
        await journal.write(("UPDATE marks SET oldest = ?, reserved = ?", [(revision, revision)]))
    finally:
        await journal.close()


class MemoryDisk:
    """Durable as long as the process. It acknowledges later, too, as any disk does."""

    def append(self, entry: Entry, told: Told) -> None:
        asyncio.get_running_loop().call_soon(told, None)

    def forget(self, revisions: Iterable[int], *, oldest: int) -> None:
        pass

    async def reserve(self, revision: int) -> None:
        pass

    async def close(self) -> None:
        await asyncio.sleep(0)
