"""Where the objects of a kind are: from the table for built-in kinds, from the cluster's discovery for the rest."""

from __future__ import annotations

from typing import NamedTuple

from argosy.kube.objects import Object, group_version
from argosy.kube.types import Kind, pinned


class Place(NamedTuple):
    kind: Kind
    plural: str
    namespaced: bool

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        root = (
            f"/apis/{self.kind.group}/{self.kind.version}" if self.kind.group else f"/api/{self.kind.version}"
        )
        inside = f"/namespaces/{namespace}" if namespace and self.namespaced else ""
        tail = "".join(f"/{part}" for part in (name, subresource) if part)
        return f"{root}{inside}/{self.plural}{tail}"


def kind_of(obj: Object) -> Kind:
    group, version = group_version(obj)
    return Kind(group, version, str(obj.get("kind", "")))


def built_in(kind: Kind) -> Place | None:
    return _BUILT_IN.get(kind)


def listed(group: str, version: str, document: Object) -> list[Place]:
    """Out of an APIResourceList."""
    return [
        Place(Kind(group, version, one["kind"]), one["name"], bool(one["namespaced"]))
        for one in document.get("resources") or ()
        if "/" not in one["name"]
    ]


_BUILT_IN = {
    one.kind: Place(one.kind, one.plural, one.namespaced)
    for one in pinned().resources
    if "get" in one.verbs or not one.verbs or one.verbs == ("create",)
}
