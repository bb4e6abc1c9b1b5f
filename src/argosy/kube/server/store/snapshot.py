"""All objects of a cluster at one moment, as lines of JSON: what a backup holds of it, and a store again.

Taken from memory (`Store.snapshot`), so that no write waits for it, or from a file that nobody has open (`of_file`). `host.backup`
writes the lines into its archive and has them brought back. The history is not in it: a store that was brought back begins
beyond every revision that anybody can have seen, and whoever watches from an older one is told to list again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from argosy.kit.errors import Unavailable
from argosy.kube.server.store.disk import Entry, JournalDisk, found
from argosy.kube.server.store.index import States
from argosy.kube.server.store.replay import replay

_PIECE = 256 << 10
_MICROSECOND = 1e-6


class Snapshot(NamedTuple):
    revision: int
    states: States
    """Shared with the store; nobody changes one."""


class _Head(msgspec.Struct, frozen=True):
    revision: int
    objects: int


class _Line(msgspec.Struct, frozen=True, array_like=True):
    revision: int
    collection: str
    namespace: str
    name: str
    body: msgspec.Raw


_ENCODER = msgspec.json.Encoder()
_HEAD, _LINE = msgspec.json.Decoder(_Head), msgspec.json.Decoder(_Line)


async def of_file(path: Path) -> Snapshot:
    """Of a cluster that does not run."""
    if not path.exists():
        raise Unavailable(f"{path} is missing", code="journal.missing")
    disk, contents = await JournalDisk.open(path)
    try:
        replayed = await asyncio.to_thread(replay, contents)
    finally:
        await disk.close()
    return Snapshot(replayed.revision, replayed.index.everything())


def pieces(snapshot: Snapshot) -> Iterator[bytes]:
    """Some lines each: small enough to be made between two turns of the event loop."""
    gathered = [_ENCODER.encode(_Head(snapshot.revision, len(snapshot.states)))]
    size = 0
    for state in snapshot.states:
        line = _ENCODER.encode(_Line(state.revision, *state.key, msgspec.Raw(state.body)))
        gathered.append(line)
        size += len(line)
        if size > _PIECE:
            yield b"\n".join([*gathered, b""])
            gathered, size = [], 0
    if gathered:
        yield b"\n".join([*gathered, b""])


async def bring_back(path: Path, lines: Iterable[bytes], now: datetime) -> None:
    """Makes a store of a snapshot's lines. Raises ValueError when they are not all there, or not what `pieces` wrote."""
    following = iter(lines)
    try:
        head = _HEAD.decode(next(following, b""))
        await found(path, beyond(head.revision, now), _entries(head, following))
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error


def beyond(revision: int, now: datetime) -> int:
    """More than anybody can have been told, neither after the snapshot nor after an earlier return to it: a store that begins at
    the clock's microseconds is never ahead of them, because it cannot write a million times a second."""
    return max(revision, round(now.timestamp() / _MICROSECOND))


def _entries(head: _Head, lines: Iterator[bytes]) -> Iterator[Entry]:
    count = 0
    for raw in lines:
        line = _LINE.decode(raw)
        yield Entry(line.revision, line.collection, line.namespace, line.name, False, bytes(line.body))
        count += 1
    if count != head.objects:
        raise ValueError(f"it has {count} of {head.objects} objects")
