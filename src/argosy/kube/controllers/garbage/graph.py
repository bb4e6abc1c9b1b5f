"""Who owns what in a cluster: the little of each object that the collector needs. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from argosy.kube.objects import Object
from argosy.kube.types import Kind


class Owner(NamedTuple):
    kind: Kind
    name: str
    uid: str
    blocks: bool
    """The owner, deleted in the foreground, waits for this dependent."""


class Item(NamedTuple):
    uid: str
    kind: Kind
    namespace: str
    name: str
    owners: tuple[Owner, ...] = ()
    finalizers: tuple[str, ...] = ()
    going: bool = False


def item_of(kind: Kind, metadata: Object) -> Item:
    return Item(
        metadata["uid"],
        kind,
        metadata.get("namespace", ""),
        metadata["name"],
        tuple(_owner(one) for one in metadata.get("ownerReferences") or ()),
        tuple(metadata.get("finalizers") or ()),
        "deletionTimestamp" in metadata,
    )


def _owner(reference: Object) -> Owner:
    group, _, version = str(reference.get("apiVersion", "")).rpartition("/")
    return Owner(
        Kind(group, version, reference["kind"]),
        reference["name"],
        reference["uid"],
        bool(reference.get("blockOwnerDeletion")),
    )


class Graph:
    def __init__(self) -> None:
        self._items: dict[str, Item] = {}
        self._dependents: dict[str, dict[str, None]] = {}

    def __len__(self) -> int:
        return len(self._items)

    def get(self, uid: str) -> Item | None:
        return self._items.get(uid)

    def dependents(self, uid: str) -> list[Item]:
        return [self._items[one] for one in self._dependents.get(uid, ()) if one in self._items]

    def of_kind(self, kind: Kind) -> Iterator[Item]:
        return iter([item for item in self._items.values() if item.kind == kind])

    def put(self, item: Item) -> None:
        before = self._items.get(item.uid)
        if before is not None:
            self._unlink(before)
        self._items[item.uid] = item
        for owner in item.owners:
            self._dependents.setdefault(owner.uid, {})[item.uid] = None

    def drop(self, uid: str) -> Item | None:
        item = self._items.pop(uid, None)
        if item is not None:
            self._unlink(item)
        return item

    def _unlink(self, item: Item) -> None:
        for owner in item.owners:
            held = self._dependents.get(owner.uid)
            if held is not None:
                held.pop(item.uid, None)
                if not held:
                    del self._dependents[owner.uid]
