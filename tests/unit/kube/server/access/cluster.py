"""A cluster in memory for these tests: objects by their keys, a clock that stands still, and requests from nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.server.access import Access, Authority, User
from argosy.kube.wire import Request

RBAC = "rbac.authorization.k8s.io"
NOON = datetime(2026, 11, 19, 12, 0, tzinfo=UTC)
_PLURALS = {
    kind: f"{kind.lower()}s.{RBAC}" for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
} | {kind: f"{kind.lower()}s" for kind in ("ServiceAccount", "Secret", "Pod", "Node")}


class Cluster:
    """What access reads. `version` rises with every change of a collection."""

    def __init__(self, *objects: Object) -> None:
        self._objects: dict[tuple[str, str, str], Object] = {}
        self._versions: dict[str, int] = {}
        self._changes = 0
        self.reads = 0
        self.put(*objects)

    def put(self, *objects: Object) -> None:
        for obj in objects:
            self._objects[_key(obj)] = obj
            self._changed(_key(obj)[0])

    def delete(self, obj: Object) -> None:
        del self._objects[_key(obj)]
        self._changed(_key(obj)[0])

    def get(self, collection: str, namespace: str, name: str) -> Object | None:
        self.reads += 1
        return self._objects.get((collection, namespace, name))

    def list(self, collection: str, namespace: str = "") -> Iterable[Object]:
        self.reads += 1
        return [
            obj
            for key, obj in sorted(self._objects.items(), key=lambda item: item[0])
            if key[0] == collection and namespace in {"", key[1]}
        ]

    def version(self, *collections: str) -> int:
        return max(self._versions.get(one, 0) for one in collections)

    def _changed(self, collection: str) -> None:
        self._changes += 1
        self._versions[collection] = self._changes


class Clock:
    def __init__(self) -> None:
        self.moment = NOON

    def __call__(self) -> float:
        return self.moment.timestamp()

    def date(self) -> datetime:
        return self.moment


def _key(obj: Object) -> tuple[str, str, str]:
    meta = obj["metadata"]
    return _PLURALS[obj["kind"]], meta.get("namespace", ""), meta["name"]


def made(kind: str, name: str, namespace: str = "", **more: Any) -> Object:
    meta: Object = {"name": name, "uid": f"uid-of-{name}"}
    if namespace:
        meta["namespace"] = namespace
    return {"kind": kind, "metadata": meta, **more}


def role(name: str, *rules: Object, namespace: str = "") -> Object:
    return made("Role" if namespace else "ClusterRole", name, namespace, rules=list(rules))


def rule(
    verbs: str, resources: str = "", groups: Sequence[str] = ("",), names: str = "", urls: str = ""
) -> Object:
    found: Object = {"verbs": verbs.split()}
    if resources:
        found |= {"apiGroups": list(groups), "resources": resources.split()}
    if names:
        found["resourceNames"] = names.split()
    if urls:
        found["nonResourceURLs"] = urls.split()
    return found


def binding(name: str, role: str, *subjects: Object, namespace: str = "") -> Object:
    """`role` is a ClusterRole's name, or `Role/<name>`."""
    kind, _, role_name = role.rpartition("/")
    return made(
        "RoleBinding" if namespace else "ClusterRoleBinding",
        name,
        namespace,
        roleRef={"apiGroup": RBAC, "kind": kind or "ClusterRole", "name": role_name},
        subjects=list(subjects),
    )


def user(name: str) -> Object:
    return {"apiGroup": RBAC, "kind": "User", "name": name}


def group(name: str) -> Object:
    return {"apiGroup": RBAC, "kind": "Group", "name": name}


def account(name: str, namespace: str = "") -> Object:
    subject: Object = {"kind": "ServiceAccount", "name": name}
    return {**subject, "namespace": namespace} if namespace else subject


def person(name: str, *groups: str, **extra: tuple[str, ...]) -> User:
    return User(name, groups=(*groups, "system:authenticated"), extra=extra)


def access(cluster: Cluster, authority: Authority, clock: Clock, **more: Any) -> Access:
    return Access(authority, cluster, now=clock, **more)


def request(headers: Mapping[str, str] | None = None, *, peer: bytes | None = None) -> Request:
    return Request("GET", "/api", headers=headers or {}, peer=peer)


def with_token(token: str) -> Request:
    return request({"authorization": f"Bearer {token}"})


def code_of(call: Callable[[], object]) -> int:
    """200, or that of the refusal."""
    try:
        call()
    except ApiError as error:
        return error.code
    return 200


def said(error: ApiError) -> tuple[int, str, str]:
    return error.code, error.reason, error.message
