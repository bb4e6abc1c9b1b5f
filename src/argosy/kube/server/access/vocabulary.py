"""The words of access: who asks, what is asked, and how the deciders see the cluster.

`authentication` makes a `User` of a request, `rbac` decides on `Attributes`, and both look at the cluster's objects
through a `Reader` (the API gives them one over the store).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from argosy.kube.objects import Object

ANONYMOUS = "system:anonymous"
AUTHENTICATED = "system:authenticated"
UNAUTHENTICATED = "system:unauthenticated"
MASTERS = "system:masters"
NODES = "system:nodes"

CREDENTIAL_ID = "authentication.kubernetes.io/credential-id"
POD_NAME, POD_UID = "authentication.kubernetes.io/pod-name", "authentication.kubernetes.io/pod-uid"
NODE_NAME, NODE_UID = "authentication.kubernetes.io/node-name", "authentication.kubernetes.io/node-uid"

RBAC = "rbac.authorization.k8s.io"
CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS = f"clusterroles.{RBAC}", f"clusterrolebindings.{RBAC}"
ROLES, ROLE_BINDINGS = f"roles.{RBAC}", f"rolebindings.{RBAC}"


@dataclass(frozen=True, slots=True)
class User:
    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Attributes:
    """What is asked. With `path` it is a URL that belongs to no resource, and only the verb counts beside it."""

    verb: str
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""


class Reader(Protocol):
    """The newest state of the cluster, writes that are still on their way to the disk included."""

    def get(self, collection: str, namespace: str, name: str) -> Object | None: ...

    def list(self, collection: str, namespace: str = "") -> Iterable[Object]: ...

    def version(self, *collections: str) -> int:
        """Rises when one of them changes, so that what was made of them can be kept until then."""


def anonymous() -> User:
    return User(ANONYMOUS, groups=(UNAUTHENTICATED,))


def with_authenticated(user: User) -> User:
    """Whoever showed a credential belongs to `system:authenticated`, unless the credential says otherwise."""
    if user.name == ANONYMOUS or AUTHENTICATED in user.groups or UNAUTHENTICATED in user.groups:
        return user
    return User(user.name, user.uid, (*user.groups, AUTHENTICATED), user.extra)
