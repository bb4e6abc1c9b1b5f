"""Claims for each Ingress of our class what it asks for, gives it the gateway's address, and says in events what is not served.

Claims are made the moment a change is seen, so that they are whole when the copies are; the status and the events follow in the
loop.
"""

from __future__ import annotations

from argosy.kube.controllers.ingress import wishes
from argosy.kube.controllers.ingress.backends import Backends
from argosy.kube.controllers.ingress.door import Door
from argosy.kube.objects import Object, name_of, namespace_of, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import INGRESS, INGRESS_CLASS, SECRET
from argosy.kube.reconcile.queue import name_in

_TLS = "type=kubernetes.io/tls"


class Ingresses:
    def __init__(self, place: Workplace, door: Door) -> None:
        self._place, self._door = place, door
        self._ingresses, self._classes = place.copies.of(INGRESS), place.copies.of(INGRESS_CLASS)
        self._secrets = place.copies.part_of(SECRET, _TLS)
        self._told: dict[str, tuple[str, ...]] = {}
        self._addressed: set[str] = set()
        self.loop = Loop("ingress", self._look, reads=(self._ingresses,))
        self._ingresses.on_change(self._changed)
        self._classes.on_change(self._class_changed)
        self._secrets.on_change(self._secret_changed)
        door.on_verdict(self.loop.add)
        door.on_taking(self._all)
        door.serve_from(Backends(place.copies, door.kubelet))

    def _changed(self, before: Object | None, after: Object | None) -> None:
        name = name_in(after or before or {})
        if after is None:
            self._door.gone(name)
            self._told.pop(uid_of(before or {}), None)
            self._addressed.discard(uid_of(before or {}))
        else:
            self._claim(after)
        self.loop.add(name)

    def _claim(self, ingress: Object) -> None:
        name = name_in(ingress)
        if self._is_ours(ingress):
            self._door.put(name, ingress["metadata"]["creationTimestamp"], wishes.wishes(ingress)[0])
        else:
            self._door.gone(name)

    def _class_changed(self, before: Object | None, after: Object | None) -> None:
        self._all()

    def _all(self) -> None:
        for ingress in self._ingresses:
            self._claim(ingress)
            self.loop.add_object(ingress)

    def _secret_changed(self, before: Object | None, after: Object | None) -> None:
        secret = after or before or {}
        if before is not None and after is not None:
            return
        for ingress in self._ingresses.in_namespace(namespace_of(secret)):
            named = [one.get("secretName") for one in ingress["spec"].get("tls") or ()]
            if name_of(secret) in named:
                self.loop.add_object(ingress)

    def _is_ours(self, ingress: Object) -> bool:
        going = "deletionTimestamp" in ingress["metadata"]
        return not going and wishes.is_ours(ingress, {name_of(one): one for one in self._classes})

    async def _look(self, name: Name) -> None:
        ingress = self._ingresses.get(name[1], name[0])
        if ingress is None:
            return
        points = ((ingress.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
        ours = [self._door.front.point]
        if self._is_ours(ingress):
            if points != ours:
                await self._place.write_status(ingress, {"loadBalancer": {"ingress": ours}})
            self._addressed.add(uid_of(ingress))
            self._tell(ingress)
        elif points and (points == ours or uid_of(ingress) in self._addressed):
            await self._place.write_status(ingress, {"loadBalancer": {}})
            self._addressed.discard(uid_of(ingress))
            self._told.pop(uid_of(ingress), None)

    def _tell(self, ingress: Object) -> None:
        """Once, until something else is to be said."""
        name = name_in(ingress)
        wanted, refused = wishes.wishes(ingress)
        present = {name_of(one): one for one in self._secrets.in_namespace(name[0])}
        refused += [*self._door.refusals(name, wanted), *wishes.without_secrets(ingress, present)]
        urls = self._door.urls(name, wanted)
        said = (*urls, *(one.words for one in refused))
        if self._told.get(uid_of(ingress)) == said:
            return
        self._told[uid_of(ingress)] = said
        if urls:
            self._place.events.normal(ingress, "Sync", f"Served at {', '.join(urls)}")
        for one in refused:
            self._place.events.warning(ingress, one.reason, one.words)


def make(place: Workplace, door: Door) -> Loop:
    return Ingresses(place, door).loop
