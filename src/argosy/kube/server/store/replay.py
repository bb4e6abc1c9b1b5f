"""From what lay on the disk to what the store keeps in memory: the newest state of each object, and the history since.

Pure; `store` calls it once per start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from sys import intern

from argosy.kube.objects import Key
from argosy.kube.server.store.disk import Contents
from argosy.kube.server.store.index import Index
from argosy.kube.server.store.states import Change, Stored


@dataclass(frozen=True, slots=True)
class Replayed:
    revision: int
    index: Index
    changes: Sequence[Change]
    useless: Sequence[int]
    """Rows that tell nothing any more: a disk that was full when they should have gone has kept them."""


def replay(contents: Contents) -> Replayed:
    states: dict[Key, Stored] = {}
    changes: list[Change] = []
    useless: list[int] = []
    revision = contents.oldest
    for number, collection, namespace, name, deleted, body in contents.entries:
        key = Key(intern(collection), intern(namespace), name)
        before = states.get(key)
        if before is not None:
            key = before.key
        if deleted:
            states.pop(key, None)
        else:
            states[key] = Stored(key, number, body or b"")
        if number > contents.oldest:
            changes.append(_change(number, key, before, None if deleted else body, body if deleted else None))
            revision = number
        else:
            useless += [before.revision] if before else []
            useless += [number] if deleted else []
    return Replayed(revision, Index(states.values()), changes, useless)


def _change(revision: int, key: Key, before: Stored | None, body: bytes | None, last: bytes | None) -> Change:
    if before is None:
        return Change(revision, key, body, None, last)
    return Change(revision, key, body, before.body, last, before.revision)
