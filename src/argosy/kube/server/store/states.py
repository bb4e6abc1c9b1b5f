"""What the store hands out: the state of an object, and how one became the next. Nobody changes either."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.kube.objects import Key


@dataclass(frozen=True, slots=True)
class Stored:
    """`body` is the JSON of the whole object, with this revision inside."""

    key: Key
    revision: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Change:
    """`body` is nothing when the object was deleted, `previous` when it was created. `last` is what a watch says of a
    deletion: the final state, with the deletion's revision inside."""

    revision: int
    key: Key
    body: bytes | None
    previous: bytes | None
    last: bytes | None = None
    replaced: int = 0
    """The revision of `previous`."""
