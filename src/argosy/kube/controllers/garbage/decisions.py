"""What is to be done with one object of the graph. Pure: owners that the graph does not know are asked for before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from argosy.kube.controllers.garbage.graph import Graph, Item, Owner

ORPHAN, FOREGROUND = "orphan", "foregroundDeletion"
Found: TypeAlias = Literal["there", "going", "absent", "unknown"]
"""An owner: alive, waiting for its dependents, gone for certain, or nobody could say."""
FindOwner: TypeAlias = Callable[[Owner], Found]


class Decision(NamedTuple):
    act: Literal["nothing", "delete", "unown", "orphan", "let go", "wait"]
    propagation: Literal["Background", "Foreground", "Orphan"] = "Background"
    uids: tuple[str, ...] = ()
    """Owners to be left (`unown`), dependents to be left alone (`orphan`) or to be looked at (`wait`)."""


def decide(graph: Graph, item: Item, find: FindOwner) -> Decision:
    if item.going:
        return _ending(graph, item)
    if not item.owners:
        return Decision("nothing")
    found = {owner.uid: find(owner) for owner in item.owners}
    absent = [uid for uid, state in found.items() if state == "absent"]
    waiting = [uid for uid, state in found.items() if state == "going"]
    if "unknown" in found.values():
        return Decision("nothing")
    if "there" in found.values():
        return Decision("unown", uids=(*absent, *waiting)) if absent or waiting else Decision("nothing")
    if waiting and graph.dependents(item.uid):
        return Decision("delete", "Foreground")
    return Decision("delete", _own_wish(item))


def _ending(graph: Graph, item: Item) -> Decision:
    dependents = graph.dependents(item.uid)
    if ORPHAN in item.finalizers:
        return Decision("orphan", uids=tuple(one.uid for one in dependents))
    if FOREGROUND not in item.finalizers:
        return Decision("nothing")
    blocking = [
        one for one in dependents if any(owner.uid == item.uid and owner.blocks for owner in one.owners)
    ]
    if not blocking:
        return Decision("let go")
    return Decision("wait", uids=tuple(one.uid for one in blocking if not one.going))


def _own_wish(item: Item) -> Literal["Background", "Foreground", "Orphan"]:
    """An object that was told before how its dependents shall fare keeps to that."""
    if ORPHAN in item.finalizers:
        return "Orphan"
    return "Foreground" if FOREGROUND in item.finalizers else "Background"
