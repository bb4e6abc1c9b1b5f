"""From a CRD that was written to a kind that is served, and back: names, conditions, the registry, the deletion of its objects.

`cluster` makes one `Crds` per cluster; `opening` calls `open`, and `follow` then hears of every CRD that is written or removed.
What it decides it writes into the CRD's status, as upstream's controllers do and in their order, so that whoever watches sees the same.
"""

from __future__ import annotations

import asyncio

import msgspec

from argosy.kit import clock
from argosy.kit.log import get_logger
from argosy.kube.errors import ApiError
from argosy.kube.objects import Key, Object, name_of
from argosy.kube.schema import struct
from argosy.kube.server import ownership
from argosy.kube.server.crds import conditions
from argosy.kube.server.crds.conditions import Condition
from argosy.kube.server.crds.definition import (
    COLLECTION,
    FINALIZER,
    condition,
    is_terminating,
    is_true,
    spec_of,
    status_of,
)
from argosy.kube.server.crds.definitions import Definitions
from argosy.kube.server.crds.serving import served
from argosy.kube.server.registry import Registry
from argosy.kube.server.store import Store
from argosy.kube.server.view import decoded
from argosy.kube.server.writer import Writer

log = get_logger(__name__)
_AT_ONCE = 200
_WAIT_SECONDS = 60.0
_JSON = msgspec.json.Encoder()
_OBJECT = msgspec.json.Decoder(Object)


class Crds:
    def __init__(self, store: Store, registry: Registry, writer: Writer) -> None:
        self._store, self._registry, self._writer = store, registry, writer
        self._known: dict[str, Object] = {}
        """By name, as it is served."""
        self._definitions = Definitions(store)
        self._since = 0
        self._removing: dict[str, asyncio.Task[None]] = {}

    async def open(self) -> None:
        """Serves what is stored, and goes on with what was under way."""
        self._since = self._store.revision
        found = [decoded(one) for one in self._store.list(COLLECTION)]
        for crd in found:
            self._serve(crd)
        for crd in found:
            await self.taken(name_of(crd))

    async def follow(self) -> None:
        """Until cancelled, or until the store is closed."""
        async for change in self._store.changes(COLLECTION, self._since):
            try:
                await (self.gone if change.body is None else self.taken)(change.key.name)
            except ApiError as error:
                # Too large with its status: then this one is not served, and everything else goes on.
                log.error("kube.crd_not_served", crd=change.key.name, message=error.message)

    async def taken(self, name: str) -> None:
        """A CRD was created or changed."""
        crd = self._definitions.latest(name)
        if crd is None:
            await self.gone(name)
        elif is_terminating(crd):
            self._serve(crd)
            self._remove(name, crd)
        else:
            await self._settle(name)

    async def gone(self, name: str) -> None:
        """A CRD is no more: its kind is not served, and its names are free for others."""
        self._unserve(name)
        await self._settle_others(name)

    async def aclose(self) -> None:
        """What is under way is taken up again at the next start."""
        for task in (tasks := list(self._removing.values())):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _settle(self, name: str) -> None:
        """One write after the other, until nothing is left to say. Between reading and writing nothing is awaited."""
        renamed = False
        while (crd := self._definitions.latest(name)) is not None and not is_terminating(crd):
            self._serve(crd)  # before it says that it is established
            new = _copied(crd)
            named = self._name(new)
            if not named and not self._conclude(new):
                break
            renamed |= named
            await self._put(new, crd)
        if renamed:
            await self._settle_others(name)

    async def _settle_others(self, name: str) -> None:
        """Of its group: what it wanted before may be free now."""
        _, _, group = name.partition(".")
        for other in [one for one in self._definitions.all() if spec_of(one).get("group") == group]:
            if name_of(other) != name:
                await self._settle(name_of(other))

    def _name(self, crd: Object) -> bool:
        """Whether something changed."""
        found = conditions.naming(crd, conditions.others_of(crd, self._definitions.all()))
        if found is None:
            return False
        status, before = crd.setdefault("status", {}), condition(crd, "NamesAccepted")
        if status.get("acceptedNames") == found.accepted and _says(before, found.names):
            return False
        status["acceptedNames"] = found.accepted
        conditions.put(crd, found.names)
        if found.established is not None:
            conditions.put(crd, found.established)
        return True

    def _serve(self, crd: Object) -> None:
        """Anew when something changed that matters for it."""
        name = name_of(crd)
        if not (is_true(crd, "NamesAccepted") or is_true(crd, "Established")) or self._is_built_in(crd):
            return
        known = self._known.get(name)
        if known is not None and _gist(known) == _gist(crd):
            return
        since = int(crd["metadata"]["resourceVersion"])
        self._unserve(name)
        self._known[name] = crd
        self._registry.add(*served(crd, since=since))

    def _unserve(self, name: str) -> None:
        if (known := self._known.pop(name, None)) is not None:
            self._registry.remove(_collection(known))

    def _is_built_in(self, crd: Object) -> bool:
        return any(not one.custom and one.collection == name_of(crd) for one in self._registry)

    def _remove(self, name: str, crd: Object) -> None:
        if FINALIZER not in (crd["metadata"].get("finalizers") or ()) or name in self._removing:
            return
        task = asyncio.create_task(self._clean(name), name=f"remove {name}")
        self._removing[name] = task
        task.add_done_callback(lambda done: self._removed(name, done))

    def _removed(self, name: str, task: asyncio.Task[None]) -> None:
        self._removing.pop(name, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("kube.crd_not_removed", crd=name, error=type(error).__name__, message=str(error))

    async def _clean(self, name: str) -> None:
        """Its objects first, then itself."""
        await self._say(name, conditions.DELETION_STARTED)
        crd = self._definitions.latest(name)
        if crd is None:
            return
        if is_true(crd, "Established") and not self._is_built_in(crd):
            await self._delete_objects(_collection(crd))
            last = Condition("Terminating", "False", "InstanceDeletionCompleted", "removed all instances")
        else:
            last = Condition("Terminating", "False", "NeverEstablished", "resource was never established")
        crd = self._definitions.latest(name)
        if crd is None or not is_terminating(crd):
            return
        new = _copied(crd)
        conditions.put(new, last)
        left = [one for one in new["metadata"].get("finalizers") or () if one != FINALIZER]
        if left:
            new["metadata"]["finalizers"] = left
            await self._put(new, crd)
            return
        new["metadata"].pop("finalizers", None)
        self._unserve(name)
        await self._writer.remove(Key(COLLECTION, "", name), new)
        await self.gone(name)

    async def _delete_objects(self, collection: str) -> None:
        """Those that somebody holds go when they are let go."""
        keys = [one.key for one in self._store.list(collection)]
        for at in range(0, len(keys), _AT_ONCE):
            await asyncio.gather(*(self._delete(key) for key in keys[at : at + _AT_ONCE]))
        while self._store.count(collection):
            changes = self._store.changes(collection, self._store.revision)
            await changes.next(_WAIT_SECONDS)
            if changes.ended:
                return

    async def _delete(self, key: Key) -> None:
        stored = self._store.latest(key)
        if stored is None:
            return
        obj = decoded(stored)
        meta = obj["metadata"]
        if not meta.get("finalizers"):
            await self._writer.remove(key, obj)
        elif "deletionTimestamp" not in meta:
            meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"] = _now(), 0
            meta["generation"] = int(meta.get("generation", 0)) + 1
            await self._writer.put(key, obj)

    async def _say(self, name: str, new: Condition) -> None:
        crd = self._definitions.latest(name)
        if crd is not None and not _says(condition(crd, new.type), new):
            changed = _copied(crd)
            conditions.put(changed, new)
            await self._put(changed, crd)

    async def _put(self, new: Object, old: Object) -> None:
        ownership.own_update(
            new,
            old,
            struct("apiextensions.v1.CustomResourceDefinition"),
            manager="kube-apiserver",
            subresource="status",
            time=_now(),
        )
        await self._writer.put(Key(COLLECTION, "", name_of(new)), new)

    def _conclude(self, crd: Object) -> bool:
        """What follows from its names being accepted; whether something changed."""
        wanted = [conditions.approval(crd), self._evaluation(crd)]
        if is_true(crd, "NamesAccepted") and not is_true(crd, "Established"):
            wanted.insert(0, conditions.ESTABLISHED)
        changed = [one for one in wanted if one is not None and not _says(condition(crd, one.type), one)]
        for one in changed:
            conditions.put(crd, one)
        return bool(changed)

    def _evaluation(self, crd: Object) -> Condition | None:
        """This cluster's own: that some rules in CEL are kept, but not run."""
        name, kind = name_of(crd), "ValidationRulesEvaluated"
        paths = self._definitions.unevaluated(name)
        if not paths:
            stale = condition(crd, kind)
            if stale is None or stale.get("status") == "True":
                return None
            return Condition(kind, "True", "AllEvaluated", "all rules are evaluated")
        shown = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
        return Condition(kind, "False", "NotSupported", f"not evaluated by this cluster: {shown}")


def _says(found: Object | None, wanted: Condition) -> bool:
    return found is not None and (found.get("status"), found.get("reason"), found.get("message")) == (
        wanted.status,
        wanted.reason,
        wanted.message,
    )


def _collection(crd: Object) -> str:
    accepted = status_of(crd).get("acceptedNames") or {}
    return f"{accepted.get('plural', '')}.{spec_of(crd).get('group', '')}"


def _gist(crd: Object) -> tuple[object, object, bool]:
    """What decides how it is served."""
    return spec_of(crd), status_of(crd).get("acceptedNames"), is_terminating(crd)


def _copied(crd: Object) -> Object:
    """Only the status and the metadata are changed here."""
    made = {**crd}
    for part in ("metadata", "status"):
        made[part] = msgspec.json.decode(_JSON.encode(crd.get(part) or {}))
    return made


def _now() -> str:
    return clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
