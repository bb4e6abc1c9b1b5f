"""A cluster to look at in tests of admission: a dictionary of objects by collection."""

from __future__ import annotations

from collections.abc import Iterable

from argosy.kube.objects import Object
from argosy.kube.server.access import User
from argosy.kube.server.admission import Write
from argosy.kube.types import pinned

ALICE = User("alice", groups=("people",))


class Reader:
    def __init__(self, **objects: list[Object]) -> None:
        self._objects = {name.replace("__", "."): found for name, found in objects.items()}

    def get(self, collection: str, namespace: str, name: str) -> Object | None:
        found = self.list(collection, namespace)
        return next((one for one in found if one["metadata"]["name"] == name), None)

    def list(self, collection: str, namespace: str = "") -> Iterable[Object]:
        return [
            one
            for one in self._objects.get(collection, [])
            if not namespace or one["metadata"].get("namespace") == namespace
        ]


def creating(reader: Reader, collection: str, obj: Object) -> Write:
    resource = next(one for one in pinned().resources if one.group_resource == collection)
    return Write(reader, ALICE, "CREATE", resource, obj, None)


def updating(reader: Reader, collection: str, obj: Object, old: Object) -> Write:
    resource = next(one for one in pinned().resources if one.group_resource == collection)
    return Write(reader, ALICE, "UPDATE", resource, obj, old)


def pod(**spec: object) -> Object:
    containers = spec.pop("containers", [{"name": "web", "image": "i"}])
    return {"metadata": {"name": "one", "namespace": "shop"}, "spec": {"containers": containers, **spec}}


def namespace(**labels: str) -> Object:
    asked = {f"pod-security.kubernetes.io/{name.replace('_', '-')}": value for name, value in labels.items()}
    return {"metadata": {"name": "shop", "uid": "1", "labels": asked}}
