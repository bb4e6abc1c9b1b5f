"""Kubernetes objects as what they are on the wire: JSON objects. Plain dictionaries, and how everybody reads them."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

Object: TypeAlias = dict[str, Any]


class Key(NamedTuple):
    """Which object. `collection` is a group resource (`pods`, `deployments.apps`); `namespace` is empty for what belongs
    to the cluster. Keys sort as Kubernetes lists them."""

    collection: str
    namespace: str
    name: str


def metadata(obj: Object) -> Object:
    found = obj.get("metadata")
    return found if isinstance(found, dict) else {}


def name_of(obj: Object) -> str:
    return str(metadata(obj).get("name", ""))


def namespace_of(obj: Object) -> str:
    return str(metadata(obj).get("namespace", ""))


def uid_of(obj: Object) -> str:
    return str(metadata(obj).get("uid", ""))


def labels_of(obj: Object) -> dict[str, str]:
    return metadata(obj).get("labels") or {}


def annotations_of(obj: Object) -> dict[str, str]:
    return metadata(obj).get("annotations") or {}


def revision_of(obj: Object) -> str:
    """The resourceVersion."""
    return str(metadata(obj).get("resourceVersion", ""))


def group_version(obj: Object) -> tuple[str, str]:
    group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
    return group, version


def controller_of(obj: Object) -> Object | None:
    """The owner reference of whoever manages it."""
    return next((one for one in metadata(obj).get("ownerReferences") or () if one.get("controller")), None)
