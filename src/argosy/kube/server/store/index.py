"""The committed objects, found by key and listed in order. Kept by `store`; nothing here waits or touches a disk.

Listing is frequent and creating is not, so the names of each namespace stay sorted. The order is upstream's: that of the text
`namespace/name`, in which `a-b` comes before `a`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from sys import intern
from typing import TypeAlias

from argosy.kube.objects import Key
from argosy.kube.server.store.states import Stored

States: TypeAlias = list[Stored]
Names: TypeAlias = list[str]


def place(state: Stored) -> tuple[str, str]:
    """What lists are sorted by within a collection."""
    return f"{state.key.namespace}/", state.key.name


@dataclass(slots=True)
class _Shelf:
    """One namespace of a collection."""

    states: dict[str, Stored] = field(default_factory=dict)
    names: Names = field(default_factory=list)


@dataclass(slots=True)
class _Collection:
    shelves: dict[str, _Shelf] = field(default_factory=dict)
    places: Names = field(default_factory=list)
    """The namespaces, each with the slash by which they are sorted."""


class Index:
    def __init__(self, states: Iterable[Stored] = ()) -> None:
        self._collections: dict[str, _Collection] = {}
        for state in states:
            collection = self._collections.setdefault(state.key.collection, _Collection())
            collection.shelves.setdefault(state.key.namespace, _Shelf()).states[state.key.name] = state
        for collection in self._collections.values():
            collection.places = sorted(f"{namespace}/" for namespace in collection.shelves)
            for shelf in collection.shelves.values():
                shelf.names = sorted(shelf.states)

    def get(self, key: Key) -> Stored | None:
        shelf = self._shelf(key.collection, key.namespace)
        return shelf.states.get(key.name) if shelf else None

    def put(self, state: Stored) -> None:
        collection_name, namespace, name = state.key
        collection = self._collections.get(collection_name)
        if collection is None:
            collection = self._collections[collection_name] = _Collection()
        shelf = collection.shelves.get(namespace)
        if shelf is None:
            shelf = collection.shelves[namespace] = _Shelf()
            insort(collection.places, f"{namespace}/")
        if name not in shelf.states:
            insort(shelf.names, name)
        shelf.states[name] = state

    def drop(self, key: Key) -> None:
        collection = self._collections[key.collection]
        shelf = collection.shelves[key.namespace]
        del shelf.states[key.name]
        del shelf.names[bisect_left(shelf.names, key.name)]
        if not shelf.names:
            del collection.shelves[key.namespace]
            collection.places.remove(f"{key.namespace}/")
        if not collection.shelves:
            del self._collections[key.collection]

    def states(self, collection: str, namespace: str, after: Key | None) -> States:
        """A list of its own, so that whoever reads it slowly still reads one moment."""
        if namespace:
            return self._on_shelf(collection, namespace, after)
        found = self._collections.get(collection)
        if found is None:
            return []
        return [state for place in found.places for state in self._on_shelf(collection, place[:-1], after)]

    def everything(self) -> States:
        """In no order, because that is a hundred times quicker, and whoever wants all of a cluster must not stop it."""
        shelves = (
            shelf for collection in self._collections.values() for shelf in collection.shelves.values()
        )
        return [*chain.from_iterable(shelf.states.values() for shelf in shelves)]

    def count(self, collection: str, namespace: str) -> int:
        if namespace:
            shelf = self._shelf(collection, namespace)
            return len(shelf.names) if shelf else 0
        found = self._collections.get(collection)
        return sum(len(shelf.names) for shelf in found.shelves.values()) if found else 0

    def collections(self) -> Names:
        return sorted(self._collections)

    def shared(self, key: Key) -> Key:
        """The same key, made of strings that all of its neighbours share."""
        return Key(intern(key.collection), intern(key.namespace), key.name)

    def _on_shelf(self, collection: str, namespace: str, after: Key | None) -> States:
        shelf = self._shelf(collection, namespace)
        if shelf is None:
            return []
        if after is None or after.namespace != namespace:
            # `after` may lie in another namespace; the one asked for is then wholly before or wholly behind it.
            passed = after is not None and f"{namespace}/" < f"{after.namespace}/"
            return [] if passed else list(map(shelf.states.__getitem__, shelf.names))
        return list(map(shelf.states.__getitem__, shelf.names[bisect_right(shelf.names, after.name) :]))

    def _shelf(self, collection: str, namespace: str) -> _Shelf | None:
        found = self._collections.get(collection)
        return found.shelves.get(namespace) if found else None
