"""The status of ResourceQuotas: what a namespace uses, for people. The API server counts by itself when it admits.

What is counted only by number is followed by its metadata, and only while some quota asks for it.
"""

from __future__ import annotations

from collections import Counter

from argosy.kube.controllers import discovery
from argosy.kube.controllers.garbage.following import Follower
from argosy.kube.controllers.garbage.graph import Item
from argosy.kube.controllers.pods.state import is_terminal
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, namespace_of
from argosy.kube.quantities import amount, written
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import POD, RESOURCE_QUOTA
from argosy.kube.types import Kind

_BY_NUMBER = (
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
)
_COMPUTE = {
    "cpu": ("requests", "cpu"),
    "requests.cpu": ("requests", "cpu"),
    "memory": ("requests", "memory"),
    "requests.memory": ("requests", "memory"),
    "limits.cpu": ("limits", "cpu"),
    "limits.memory": ("limits", "memory"),
}


def counted(name: str) -> str:
    """The group resource that a quota's entry counts: `pods`, `deployments.apps`; nothing for amounts."""
    return name.removeprefix("count/") if name.startswith("count/") else name if name in _BY_NUMBER else ""


def used_by(pods: list[Object], name: str) -> str:
    """Pure. What the pods that run ask for, of `requests.cpu` and its like."""
    part, resource = _COMPUTE[name]
    total = sum(_asked(pod, part, resource) for pod in pods if not is_terminal(pod))
    return written(total, "binary" if resource == "memory" else "decimal")


def _asked(pod: Object, part: str, resource: str) -> int:
    def of(container: Object) -> int:
        return amount(str(((container.get("resources") or {}).get(part) or {}).get(resource, "0")))

    together = sum((of(one) for one in pod["spec"]["containers"]), 0)
    return max([together, *(of(one) for one in pod["spec"].get("initContainers") or ())])


class Quotas:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._quotas, self._pods = place.copies.of(RESOURCE_QUOTA), place.copies.of(POD)
        self._counts: dict[str, Counter[str]] = {}
        self._followers: dict[str, Follower] = {}
        self._homes: dict[str, str] = {}
        self.loop = Loop("resourcequota", self._look, reads=(self._quotas,), longest_rest=1.0)
        self.loop.follow(self._quotas)
        self._pods.on_change(lambda before, after: self._changed(namespace_of(after or before or {})))

    def _changed(self, namespace: str) -> None:
        for quota in self._quotas.in_namespace(namespace):
            self.loop.add_object(quota)

    async def _look(self, name: Name) -> None:
        quota = self._quotas.get(name[1], name[0])
        if quota is None:
            return
        hard = quota["spec"].get("hard") or {}
        used = {key: value for key in hard if (value := await self._used(name[0], key))}
        await self._place.write_status(quota, {"hard": hard, "used": used})

    async def _used(self, namespace: str, key: str) -> str:
        if key in _COMPUTE:
            return used_by(self._pods.in_namespace(namespace), key)
        resource = counted(key)
        if not resource:
            return ""
        if resource == "pods":
            pods = self._pods.in_namespace(namespace)
            return str(sum(1 for pod in pods if not is_terminal(pod)) if key == "pods" else len(pods))
        return await self._number(namespace, resource)

    async def _number(self, namespace: str, resource: str) -> str:
        if resource not in self._followers:
            kind = await self._kind(resource)
            if kind is None:
                return "0"
            self._follow(resource, kind)
        await self._followers[resource].synced.wait()
        return str(self._counts[resource][namespace])

    def _follow(self, resource: str, kind: Kind) -> None:
        counts = self._counts[resource] = Counter()

        def put(item: Item) -> None:
            if item.uid not in self._homes:
                self._homes[item.uid] = item.namespace
                counts[item.namespace] += 1
                self._changed(item.namespace)

        def drop(uid: str) -> None:
            if (namespace := self._homes.pop(uid, None)) is not None:
                counts[namespace] -= 1
                self._changed(namespace)

        follower = Follower(self._place.client, kind, put, drop)
        self._followers[resource] = follower
        self._place.copies.beside(follower.run(), f"count {resource}")

    async def _kind(self, resource: str) -> Kind | None:
        try:
            found = await discovery.served(self._place.client)
        except ApiError:
            return None
        for one in found:
            group = one.place.kind.group
            if (f"{one.place.plural}.{group}" if group else one.place.plural) == resource:
                return one.place.kind
        return None


def make(place: Workplace) -> Loop:
    return Quotas(place).loop
