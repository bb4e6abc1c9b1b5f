"""Keeps the graph true and carries out what `decisions` says of each object that something happened to.

Nothing is deleted on the graph's word alone: an owner that it does not know is asked for, and the object itself is read again and
deleted only in the state that was judged.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from argosy.kit.log import get_logger
from argosy.kube.client.resources import built_in
from argosy.kube.controllers import discovery
from argosy.kube.controllers.garbage.decisions import FOREGROUND, ORPHAN, Decision, Found, decide
from argosy.kube.controllers.garbage.following import Follower
from argosy.kube.controllers.garbage.graph import Graph, Item, Owner, item_of
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, uid_of
from argosy.kube.reconcile import Copy, Loop, Name, Workplace
from argosy.kube.reconcile.kinds import CRD, EVENT
from argosy.kube.types import Kind

log = get_logger(__name__)
_NEEDED = {"delete", "list", "watch"}
_NOT_FOLLOWED = {EVENT, Kind("events.k8s.io", "v1", "Event")}
_ABSENT_REMEMBERED = 1000
_AT_A_TIME = 50


class Collector:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self.graph = Graph()
        self._absent: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._followers: dict[Kind, tuple[Follower, asyncio.Task[None]]] = {}
        self._shared: set[Kind] = set()
        self._custom: set[Kind] = set()
        self._unsure: set[str] = set()
        """Objects with an owner of a kind that nobody serves now."""
        self._crds = place.copies.of(CRD)
        self._group: asyncio.TaskGroup | None = None
        self.loop = Loop("garbage-collector", self._look, workers=20)
        self._kinds = Loop("garbage-kinds", self._look_at_kinds, workers=1)
        self._crds.on_change(lambda _before, _after: self._kinds.add(("", "kinds")))

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            self._group = group
            await self._follow_built_in()
            group.create_task(self._kinds.run(), name="garbage-kinds")
            await asyncio.gather(*(follower.synced.wait() for follower, _ in self._followers.values()))
            group.create_task(self.loop.run(), name="garbage-collector")

    async def _follow_built_in(self) -> None:
        while True:
            try:
                found = await discovery.served(self._place.client)
                break
            except ApiError as error:
                log.debug("garbage.no_discovery", error=error.message)
                await asyncio.sleep(0.5)
        for one in found:
            kind = one.place.kind
            if one.verbs >= _NEEDED and kind not in _NOT_FOLLOWED and built_in(kind) is not None:
                self._follow(kind)

    async def _look_at_kinds(self, _name: Name) -> None:
        """Custom kinds come and go."""
        wanted = {kind for crd in self._crds if (kind := _custom_kind(crd)) is not None}
        for kind in self._custom - wanted:
            follower, task = self._followers.pop(kind)
            task.cancel()
            if not any((kind.group, kind.kind) == (one.group, one.kind) for one in wanted):
                follower.forget()
        for kind in wanted - self._custom:
            self._follow(kind)
        self._custom = wanted
        unsure, self._unsure = self._unsure, set()
        for uid in unsure:
            self._attend(uid)

    def _follow(self, kind: Kind) -> None:
        if kind in self._followers or kind in self._shared or self._group is None:
            return
        copy = self._place.copies.existing(kind)
        if copy is not None:
            self._shared.add(kind)
            self._follow_copy(copy)
            return
        follower = Follower(self._place.client, kind, self._put, self._drop)
        task = self._group.create_task(follower.run(), name=f"garbage {kind.kind}")
        self._followers[kind] = (follower, task)

    def _follow_copy(self, copy: Copy) -> None:
        def changed(before: Object | None, after: Object | None) -> None:
            if after is not None:
                self._put(item_of(copy.kind, after["metadata"]))
            elif before is not None:
                self._drop(uid_of(before))

        copy.on_change(changed)

    def _put(self, item: Item) -> None:
        before = self.graph.get(item.uid)
        if before == item:
            return
        self.graph.put(item)
        if item.owners or item.going:
            self._attend(item.uid)
        if item.going and (before is None or not before.going):
            self._attend_waiting_owners(item)
        if before is not None and before.owners != item.owners:
            self._attend_waiting_owners(before)

    def _drop(self, uid: str) -> None:
        dependents = self.graph.dependents(uid)
        item = self.graph.drop(uid)
        if item is not None:
            self._remember_absent(uid, item.namespace)
            self._attend_waiting_owners(item)
        for one in dependents:
            self._attend(one.uid)

    def _attend_waiting_owners(self, item: Item) -> None:
        for owner in item.owners:
            found = self.graph.get(owner.uid)
            if found is not None and found.going:
                self._attend(owner.uid)

    def _attend(self, uid: str) -> None:
        self.loop.add(("", uid))

    async def _look(self, name: Name) -> None:
        item = self.graph.get(name[1])
        if item is None:
            return
        owners = {owner.uid: await self._find(item, owner) for owner in item.owners} if not item.going else {}
        decision = decide(self.graph, item, lambda owner: owners[owner.uid])
        if "unknown" in owners.values():
            self._unsure.add(item.uid)
        match decision.act:
            case "delete":
                await self._delete(item, decision)
            case "unown":
                await self._unown(item, decision.uids)
            case "orphan":
                await self._orphan(item, decision.uids)
            case "let go":
                await self._without_finalizer(item, FOREGROUND)
            case "wait":
                for uid in decision.uids:
                    self._attend(uid)

    async def _find(self, item: Item, owner: Owner) -> Found:
        known = self.graph.get(owner.uid)
        if known is not None and _is_meant(known, item, owner):
            return "going" if known.going and FOREGROUND in known.finalizers else "there"
        if (owner.uid, item.namespace) in self._absent:
            return "absent"
        found = await self._ask(owner, item.namespace)
        if found == "absent":
            self._remember_absent(owner.uid, item.namespace)
        return found

    async def _ask(self, owner: Owner, namespace: str) -> Found:
        try:
            place = await self._place.client.place(owner.kind)
        except ApiError as error:
            if error.code == 404:
                return "unknown"
            raise
        if place.namespaced and not namespace:
            return "unknown"  # an owner in a namespace for what belongs to the cluster: upstream refuses to judge
        try:
            live = await self._place.client.get(owner.kind, owner.name, namespace)
        except ApiError as error:
            if error.code == 404:
                return "absent" if error.reason == "NotFound" else "unknown"
            raise
        if uid_of(live) != owner.uid:
            return "absent"
        metadata = live["metadata"]
        going = "deletionTimestamp" in metadata and FOREGROUND in (metadata.get("finalizers") or ())
        return "going" if going else "there"

    async def _delete(self, item: Item, decision: Decision) -> None:
        live = await self._live(item)
        if live is None:
            return
        now = item_of(item.kind, live["metadata"])
        if now.owners != item.owners or now.going:
            return  # the graph will hear of it, and it is judged again
        await self._place.delete(live, propagation=decision.propagation, unchanged=True)

    async def _unown(self, item: Item, uids: tuple[str, ...]) -> None:
        live = await self._live(item)
        if live is None:
            return
        references = live["metadata"].get("ownerReferences") or []
        kept = [one for one in references if one["uid"] not in uids]
        if len(kept) != len(references):
            await self._change(live, {"ownerReferences": kept or None})

    async def _orphan(self, item: Item, uids: tuple[str, ...]) -> None:
        for start in range(0, len(uids), _AT_A_TIME):
            await asyncio.gather(*(self._leave(uid, item.uid) for uid in uids[start : start + _AT_A_TIME]))
        await self._without_finalizer(item, ORPHAN)

    async def _leave(self, uid: str, owner: str) -> None:
        dependent = self.graph.get(uid)
        if dependent is not None:
            await self._unown(dependent, (owner,))

    async def _without_finalizer(self, item: Item, finalizer: str) -> None:
        live = await self._live(item)
        if live is None:
            return
        finalizers = live["metadata"].get("finalizers") or []
        if finalizer in finalizers:
            await self._change(live, {"finalizers": [one for one in finalizers if one != finalizer] or None})

    async def _change(self, live: Object, metadata: Object) -> None:
        """Only in the state that was read: nobody else's change is undone."""
        own = {"uid": uid_of(live), "resourceVersion": live["metadata"]["resourceVersion"]}
        try:
            await self._place.patch(live, {"metadata": {**own, **metadata}})
        except ApiError as error:
            if error.code != 404:
                raise

    async def _live(self, item: Item) -> Object | None:
        found = await self._place.client.find(item.kind, item.name, item.namespace)
        if found is None or uid_of(found) != item.uid:
            return None
        found.setdefault("apiVersion", item.kind.api_version)
        found.setdefault("kind", item.kind.kind)
        return found

    def _remember_absent(self, uid: str, namespace: str) -> None:
        self._absent[uid, namespace] = None
        while len(self._absent) > _ABSENT_REMEMBERED:
            self._absent.popitem(last=False)


def _is_meant(known: Item, item: Item, owner: Owner) -> bool:
    """A UID alone proves nothing: who writes a reference could copy one from another namespace."""
    return (known.kind.group, known.kind.kind, known.name) == (
        owner.kind.group,
        owner.kind.kind,
        owner.name,
    ) and known.namespace in {"", item.namespace}


def _custom_kind(crd: Object) -> Kind | None:
    conditions = (crd.get("status") or {}).get("conditions") or ()
    if not any(one["type"] == "Established" and one["status"] == "True" for one in conditions):
        return None
    served = [one["name"] for one in crd["spec"]["versions"] if one.get("served")]
    return Kind(crd["spec"]["group"], served[0], crd["spec"]["names"]["kind"]) if served else None
