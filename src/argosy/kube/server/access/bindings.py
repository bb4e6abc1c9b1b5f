"""The bindings of a cluster by whom they bind, so that a decision looks only at those of one user.

`rbac` keeps one of these until a binding changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from argosy.kube.objects import Object, name_of, namespace_of
from argosy.kube.server.access.claims import user_name
from argosy.kube.server.access.quoting import quoted
from argosy.kube.server.access.vocabulary import User


class RoleReference(NamedTuple):
    kind: str
    name: str
    namespace: str
    """Where the binding is, for roles of a namespace."""


class Binding(NamedTuple):
    """A binding as it applies to one of its subjects. The first two order a user's bindings."""

    order: int
    position: int
    role: RoleReference
    described: str
    """`ClusterRoleBinding "a" of ClusterRole "b" to Group "c"`: what an allowed review names as the reason."""


@dataclass(slots=True)
class Bindings:
    """Of the whole cluster, or of one namespace."""

    users: dict[str, list[Binding]] = field(default_factory=dict)
    groups: dict[str, list[Binding]] = field(default_factory=dict)

    def of(self, user: User) -> list[Binding]:
        """Each binding once, by the first of its subjects that applies, in the order of the bindings."""
        found = list(self.users.get(user.name, ()))
        for group in user.groups:
            found.extend(self.groups.get(group, ()))
        found.sort(key=_place)
        return [one for at, one in enumerate(found) if at == 0 or found[at - 1].order != one.order]

    def add(self, order: int, binding: Object) -> None:
        namespace = namespace_of(binding)
        role = _role(binding, namespace)
        name = f"{name_of(binding)}/{namespace}" if namespace else name_of(binding)
        kind = "RoleBinding" if namespace else "ClusterRoleBinding"
        subjects = binding.get("subjects")
        for position, subject in enumerate(subjects if isinstance(subjects, list) else ()):
            if not isinstance(subject, dict):
                continue
            said = _described(subject, namespace)
            described = f"{kind} {quoted(name)} of {role.kind} {quoted(role.name)} to {said}"
            self._file(subject, namespace, Binding(order, position, role, described))

    def _file(self, subject: Object, namespace: str, binding: Binding) -> None:
        name = str(subject.get("name", ""))
        match subject.get("kind"):
            case "User":
                self.users.setdefault(name, []).append(binding)
            case "Group":
                self.groups.setdefault(name, []).append(binding)
            case "ServiceAccount":
                if where := str(subject.get("namespace") or namespace):
                    self.users.setdefault(user_name(where, name), []).append(binding)


def by_namespace(bindings: Iterable[Object]) -> dict[str, Bindings]:
    """Those of the cluster stand under the empty name."""
    found: dict[str, Bindings] = {}
    for order, binding in enumerate(bindings):
        found.setdefault(namespace_of(binding), Bindings()).add(order, binding)
    return found


def _role(binding: Object, namespace: str) -> RoleReference:
    reference = binding.get("roleRef")
    if not isinstance(reference, dict):
        return RoleReference("", "", namespace)
    return RoleReference(str(reference.get("kind", "")), str(reference.get("name", "")), namespace)


def _described(subject: Object, namespace: str) -> str:
    kind, name = str(subject.get("kind", "")), str(subject.get("name", ""))
    if kind == "ServiceAccount":
        name = f"{name}/{subject.get('namespace') or namespace}"
    return f"{kind} {quoted(name)}"


def _place(binding: Binding) -> tuple[int, int]:
    return binding.order, binding.position
