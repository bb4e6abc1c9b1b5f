"""The one way into the store: gives an object its revision, stages its bytes and tells whoever looks.

Every body begins with kind and apiVersion, so that a list can leave them out by cutting off a prefix.

Called with an object that is ready (`api.writing`, `api.deleting`). Nothing may be awaited between reading the newest state and
calling `put` or `remove`; that is what makes every write atomic.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeAlias

import msgspec

from argosy.kube.errors import too_large
from argosy.kube.objects import Key, Object
from argosy.kube.server.store import Store, Stored
from argosy.kube.server.view import View

Done: TypeAlias = Awaitable[Stored | None]
_JSON = msgspec.json.Encoder()
_FIELDS = (
    *("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation"),
    *("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations"),
    *("ownerReferences", "finalizers", "managedFields"),
)
"""Of an object's metadata, in the order in which everybody has always seen them."""
_MOST_BYTES = 3 * 1024 * 1024
"""Upstream's limit is etcd's, 1.5 MiB; a request may bring 3."""


class Writer:
    def __init__(self, store: Store, view: View) -> None:
        self._store, self._view = store, view

    async def put(self, key: Key, obj: Object) -> Object:
        """Answers the object with its new revision when it is durable."""
        await self._settled(key, self._put(key, obj))
        return obj

    async def remove(self, key: Key, last: Object, *, marked: bool = False) -> Object:
        """`last`: its final state, which the deletion's watchers get with the deletion's revision. `marked`: they are told first that
        it is going, as a change of its own."""
        first = self._put(key, last) if marked else None
        revision = self._store.reserve()
        gone = self._stage(key, revision, None, self._encoded(last, revision))
        if first is not None:
            await self._settled(key, first)
        await self._settled(key, gone)
        return last

    def _put(self, key: Key, obj: Object) -> Done:
        revision = self._store.reserve()
        return self._stage(key, revision, self._encoded(obj, revision), None)

    def _stage(self, key: Key, revision: int, body: bytes | None, last: bytes | None) -> Done:
        done = self._store.stage(key, revision, body, last=last)
        self._view.staged(key)
        return done

    async def _settled(self, key: Key, done: Done) -> None:
        try:
            await done
        finally:
            self._view.settled(key)

    def _encoded(self, obj: Object, revision: int) -> bytes:
        metadata = {**obj["metadata"], "resourceVersion": str(revision)}
        obj["metadata"] = {name: metadata[name] for name in _FIELDS if name in metadata}
        body = _JSON.encode({"kind": obj["kind"], "apiVersion": obj["apiVersion"], **obj})
        if len(body) > _MOST_BYTES:
            raise too_large(f"Request entity too large: limit is {_MOST_BYTES}")
        return body
