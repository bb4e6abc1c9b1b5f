"""How access, rules and admission see the cluster: the newest state of everything, writes under way included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Protocol, TypeAlias

import msgspec

from argosy.kube.objects import Key, Object
from argosy.kube.server.store import Store

_OBJECT = msgspec.json.Decoder(Object)


Objects: TypeAlias = list[Object]


class View:
    """`access.Reader` over a store. The decoded objects of a collection are kept until one of them changes, for the few
    collections that every request looks at."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[str, tuple[int, Objects]] = {}
        self._versions: dict[str, int] = {}
        self._staged: Counter[Key] = Counter()

    def staged(self, key: Key) -> None:
        """`Writer` tells each write under way, and `settled` when it is durable or refused."""
        self._staged[key] += 1
        self._bump(key.collection)

    def settled(self, key: Key) -> None:
        self._staged[key] -= 1
        if not self._staged[key]:
            del self._staged[key]
        self._bump(key.collection)

    def get(self, collection: str, namespace: str, name: str) -> Object | None:
        found = self._store.latest(Key(collection, namespace, name))
        return None if found is None else decoded(found)

    def list(self, collection: str, namespace: str = "") -> Iterable[Object]:
        version = self.version(collection)
        kept = self._kept.get(collection)
        if kept is None or kept[0] != version:
            kept = self._kept[collection] = (version, self._newest(collection))
        if not namespace:
            return kept[1]
        return [one for one in kept[1] if one["metadata"].get("namespace") == namespace]

    def version(self, *collections: str) -> int:
        return sum(self._versions.get(one, 1) for one in collections)

    def _bump(self, collection: str) -> None:
        self._versions[collection] = self._versions.get(collection, 1) + 1

    def _newest(self, collection: str) -> Objects:
        staged = {key for key in self._staged if key.collection == collection}
        keys = chain((one.key for one in self._store.list(collection) if one.key not in staged), staged)
        found = (self._store.latest(key) for key in keys)
        return [decoded(one) for one in found if one is not None]


class Bytes(Protocol):
    @property
    def body(self) -> bytes: ...


def decoded(stored: Bytes) -> Object:
    return _OBJECT.decode(stored.body)
