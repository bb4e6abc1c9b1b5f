"""Which object: the names by which desired and live objects are matched, and the pairs that come of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from argosy.kube.objects import Object, group_version, name_of, namespace_of


class ResourceKey(NamedTuple):
    """Without the version: an object served in several is one. `namespace` is empty for what belongs to the cluster."""

    group: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.group}/{self.kind}/{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class Pair:
    """What Git says of an object, and what the cluster has. At least one is there."""

    key: ResourceKey
    target: Object | None
    live: Object | None

    @property
    def object(self) -> Object:
        found = self.target if self.target is not None else self.live
        assert found is not None
        return found


def key_of(obj: Object) -> ResourceKey:
    group, _ = group_version(obj)
    return ResourceKey(group, str(obj.get("kind", "")), namespace_of(obj), name_of(obj))


def is_definition(obj: Object) -> bool:
    return obj.get("kind") == "CustomResourceDefinition" and group_version(obj)[0] == "apiextensions.k8s.io"


def is_namespace(obj: Object, name: str = "") -> bool:
    """A Namespace, or the one of that name."""
    return (
        obj.get("kind") == "Namespace"
        and obj.get("apiVersion") == "v1"
        and (not name or name_of(obj) == name)
    )
