"""The copies of kinds that all loops of a process share: one watch for each kind, indexed by how loops ask.

A copy also knows what this process has written and not yet seen come back (`caught_up`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine

from argosy.kit.log import get_logger
from argosy.kube.client import Client, Informer
from argosy.kube.objects import Object, controller_of, name_of, namespace_of, revision_of, uid_of
from argosy.kube.types import Kind

log = get_logger(__name__)
_PATIENCE = 10.0
"""Nobody waits longer for a copy that lags behind; what he does then is checked by the server anyway."""


class Copy(Informer):
    """An informer with indexes. Without managed fields, which nobody here reads and which are half of most objects."""

    def __init__(self, client: Client, kind: Kind, *, fields: str = "") -> None:
        super().__init__(client, kind, fields=fields)
        self._by_namespace: dict[str, dict[str, Object]] = {}
        self._by_owner: dict[str, dict[str, Object]] = {}
        self._orphans: dict[str, dict[str, Object]] = {}
        self._written = 0
        self._going: dict[str, tuple[str, str]] = {}
        self._moved = asyncio.Event()

    def in_namespace(self, namespace: str) -> list[Object]:
        return list(self._by_namespace.get(namespace, {}).values())

    def owned_by(self, uid: str) -> list[Object]:
        """Those whose managing owner has this UID."""
        return list(self._by_owner.get(uid, {}).values())

    def orphans(self, namespace: str) -> list[Object]:
        """Those that nobody manages."""
        return list(self._orphans.get(namespace, {}).values())

    def wrote(self, obj: Object) -> None:
        with contextlib.suppress(ValueError):
            self._written = max(self._written, int(revision_of(obj) or "0"))

    def deleted(self, obj: Object) -> None:
        self._going[uid_of(obj)] = (namespace_of(obj), name_of(obj))

    async def caught_up(self) -> None:
        """Until what this process has written so far is in the copy."""
        written, going = self._written, list(self._going)
        if self._seen() >= written and not self._still_there(going):
            return
        try:
            async with asyncio.timeout(_PATIENCE):
                while self._seen() < written or self._still_there(going):
                    self._moved.clear()
                    await self._moved.wait()
        except TimeoutError:
            log.warning("copy.lags", kind=self.kind.kind, written=written, seen=self._seen())
            self._written = min(self._written, self._seen())
            for uid in going:
                self._going.pop(uid, None)

    def _seen(self) -> int:
        return int(self._revision) if self._revision.isdigit() else 0

    def _still_there(self, going: list[str]) -> bool:
        waiting = False
        for uid in going:
            namespace, name = self._going.get(uid, ("", ""))
            found = self.get(name, namespace) if name else None
            if found is None or uid_of(found) != uid or "deletionTimestamp" in found["metadata"]:
                self._going.pop(uid, None)
            else:
                waiting = True
        return waiting

    async def _list(self) -> None:
        await super()._list()
        self._moved.set()

    def _take(self, key: tuple[str, str], after: Object | None) -> None:
        if after is not None:
            after["metadata"].pop("managedFields", None)
        before = self._objects.get(key)
        if before is not None:
            self._unindex(before)
        if after is not None:
            self._index(after)
        super()._take(key, after)
        self._moved.set()

    def _index(self, obj: Object) -> None:
        namespace, uid = namespace_of(obj), uid_of(obj)
        self._by_namespace.setdefault(namespace, {})[uid] = obj
        owner = controller_of(obj)
        place, key = (self._orphans, namespace) if owner is None else (self._by_owner, owner["uid"])
        place.setdefault(key, {})[uid] = obj

    def _unindex(self, obj: Object) -> None:
        namespace, uid = namespace_of(obj), uid_of(obj)
        owner = controller_of(obj)
        place, key = (self._orphans, namespace) if owner is None else (self._by_owner, owner["uid"])
        for index, where in ((self._by_namespace, namespace), (place, key)):
            held = index.get(where)
            if held is not None:
                held.pop(uid, None)
                if not held:
                    del index[where]


class Copies:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._copies: dict[Kind, Copy] = {}
        self._parts: list[Copy] = []
        self._group: asyncio.TaskGroup | None = None

    def of(self, kind: Kind) -> Copy:
        copy = self._copies.get(kind)
        if copy is None:
            copy = self._copies[kind] = Copy(self._client, kind)
            self._start(copy)
        return copy

    def part_of(self, kind: Kind, fields: str) -> Copy:
        """Only those that the field selector finds: where the whole kind would be large."""
        copy = Copy(self._client, kind, fields=fields)
        self._parts.append(copy)
        self._start(copy)
        return copy

    def existing(self, kind: Kind) -> Copy | None:
        return self._copies.get(kind)

    def beside(self, work: Coroutine[object, object, None], name: str) -> None:
        """Something else that follows the cluster for as long as the copies do."""
        if self._group is not None:
            self._group.create_task(work, name=name)

    async def synced(self) -> None:
        for copy in [*self._copies.values(), *self._parts]:
            await copy.wait_synced()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            self._group = group
            for copy in [*self._copies.values(), *self._parts]:
                self._start(copy)
            await asyncio.Event().wait()

    def _start(self, copy: Copy) -> None:
        if self._group is not None:
            self._group.create_task(copy.run(), name=f"copy of {copy.kind.kind}")
