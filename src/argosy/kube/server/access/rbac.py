"""Decides who may do what by the cluster's roles and bindings, in microseconds.

Three things are kept until a role or binding changes: the bindings by subject, the rules of each role that was asked for,
and what one user holds in one namespace. `Access` asks here on every request; `escalation` and `reviews` read the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from argosy.kube.server.access.bindings import Binding, Bindings, RoleReference, by_namespace
from argosy.kube.server.access.policy import Rule, resource_keys, rules_of
from argosy.kube.server.access.quoting import quoted
from argosy.kube.server.access.vocabulary import (
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    MASTERS,
    RBAC,
    ROLE_BINDINGS,
    ROLES,
    Attributes,
    Reader,
    User,
)

_REMEMBERED = 4096
_LONGEST = 512
"""Characters of a question or a user that are worth remembering: what strangers send may be of any length."""
_WATCHED = (CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS, ROLES, ROLE_BINDINGS)
_ANY_NAME = "*"
"""Files rules without names. A rule that names `*` lands there too, and `Rule.allows` tells it apart."""
_COLLECTIONS = {"ClusterRole": CLUSTER_ROLES, "Role": ROLES}


_Key = TypeVar("_Key")
_Found = TypeVar("_Found")


class Unresolved(NamedTuple):
    """A binding names a role that is not there, or of a kind that nobody knows."""

    kind: str
    name: str

    def described(self, resource: str = "") -> str:
        """A decision names what is missing by its kind; a check of a write, by the resource that is written."""
        if self.kind not in _COLLECTIONS:
            return f"unsupported role reference kind: {quoted(self.kind)}"
        return f"{resource or self.kind.lower()}.{RBAC} {quoted(self.name)} not found"


class _Grant(NamedTuple):
    order: int
    rule: Rule
    binding: Binding


class _Holdings:
    """What one user holds in one scope, filed by what a rule says of resources and names: a question looks at few."""

    __slots__ = ("errors", "filed", "rules", "urls")

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.filed: dict[tuple[str, str], list[_Grant]] = {}
        self.urls: list[_Grant] = []
        self.errors: list[Unresolved] = []

    def add(self, rule: Rule, binding: Binding) -> None:
        grant = _Grant(len(self.rules), rule, binding)
        self.rules.append(rule)
        for resource in rule.resources:
            for name in rule.names or (_ANY_NAME,):
                self.filed.setdefault((resource, name), []).append(grant)
        if rule.urls:
            self.urls.append(grant)

    def allowing(self, asked: Attributes) -> Binding | None:
        first = min(self._matching(asked), key=_order, default=None)
        return first.binding if first else None

    def _matching(self, asked: Attributes) -> Iterator[_Grant]:
        """The first of each list, which are in order."""
        for grants in self._lists(asked):
            for grant in grants:
                verbs = grant.rule.verbs
                if (asked.verb in verbs or "*" in verbs) and grant.rule.allows(asked):
                    yield grant
                    break

    def _lists(self, asked: Attributes) -> Iterator[list[_Grant]]:
        if asked.path:
            yield self.urls
            return
        for key in resource_keys(asked):
            for name in (_ANY_NAME, asked.name):
                if grants := self.filed.get((key, name)):
                    yield grants


class Rbac:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._version = -1
        self._versions: dict[str, int] = {}
        self._cluster = Bindings()
        self._namespaces: dict[str, Bindings] = {}
        self._roles: dict[RoleReference, tuple[Rule, ...] | None] = {}
        self._holdings: dict[tuple[str, tuple[str, ...], str], _Holdings] = {}
        self._decisions: dict[tuple[str, tuple[str, ...], Attributes], tuple[bool, str]] = {}

    def decide(self, user: User, asked: Attributes) -> tuple[bool, str]:
        """Whether, and why: the binding that allows it, or which roles could not be found."""
        if MASTERS in user.groups:
            return True, ""
        self._refresh()
        key = (user.name, user.groups, asked)
        known = self._decisions.get(key)
        if known is None:
            known = self._decided(user, asked)
            if _short_question(asked) and _short(user):
                _remember(self._decisions, key, known)
        return known

    def rules_for(self, user: User, namespace: str) -> tuple[list[Rule], list[Unresolved]]:
        """All that the user holds there, cluster-wide rights included, and which roles could not be found."""
        self._refresh()
        scopes = self._scopes(user, namespace)
        return [rule for held in scopes for rule in held.rules], [
            why for held in scopes for why in held.errors
        ]

    def rules_of(self, role: RoleReference) -> tuple[Rule, ...] | Unresolved:
        self._refresh()
        rules = self._rules(role)
        return Unresolved(role.kind, role.name) if rules is None else rules

    def _decided(self, user: User, asked: Attributes) -> tuple[bool, str]:
        scopes = self._scopes(user, asked.namespace)
        for held in scopes:
            binding = held.allowing(asked)
            if binding is not None:
                return True, f"RBAC: allowed by {binding.described}"
        errors = [why.described() for held in scopes for why in held.errors]
        return False, f"RBAC: {together(errors)}" if errors else ""

    def _scopes(self, user: User, namespace: str) -> list[_Holdings]:
        cluster = self._held(user, "", self._cluster)
        local = self._namespaces.get(namespace) if namespace else None
        return [cluster, self._held(user, namespace, local)] if local is not None else [cluster]

    def _held(self, user: User, namespace: str, bindings: Bindings) -> _Holdings:
        key = (user.name, user.groups, namespace)
        known = self._holdings.get(key)
        if known is None:
            known = self._gathered(bindings.of(user))
            if _short(user):
                _remember(self._holdings, key, known)
        return known

    def _gathered(self, bindings: Iterable[Binding]) -> _Holdings:
        holdings = _Holdings()
        for binding in bindings:
            role = binding.role
            rules = self._rules(role)
            if rules is None:
                holdings.errors.append(Unresolved(role.kind, role.name))
            for rule in rules or ():
                holdings.add(rule, binding)
        return holdings

    def _rules(self, role: RoleReference) -> tuple[Rule, ...] | None:
        key = role if role.kind == "Role" else role._replace(namespace="")
        if key not in self._roles and role.kind in _COLLECTIONS:
            found = self._reader.get(_COLLECTIONS[role.kind], key.namespace, role.name)
            self._roles[key] = None if found is None else rules_of(found)
        return self._roles.get(key)

    def _refresh(self) -> None:
        version = self._reader.version(*_WATCHED)
        if version == self._version:
            return
        now = {collection: self._reader.version(collection) for collection in _WATCHED}
        changed = {collection for collection in _WATCHED if now[collection] != self._versions.get(collection)}
        if CLUSTER_ROLE_BINDINGS in changed:
            self._cluster = by_namespace(self._reader.list(CLUSTER_ROLE_BINDINGS)).get("", Bindings())
        if ROLE_BINDINGS in changed:
            self._namespaces = by_namespace(self._reader.list(ROLE_BINDINGS))
        if changed & {CLUSTER_ROLES, ROLES}:
            self._roles.clear()
        self._holdings.clear()
        self._decisions.clear()
        self._version, self._versions = version, now


def together(errors: Iterable[str]) -> str:
    """Several errors as one text, each once."""
    unique = list(dict.fromkeys(errors))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"


def _short(user: User) -> bool:
    return len(user.name) + sum(map(len, user.groups)) < _LONGEST


def _short_question(asked: Attributes) -> bool:
    where = len(asked.group) + len(asked.version) + len(asked.namespace) + len(asked.path)
    what = len(asked.verb) + len(asked.resource) + len(asked.subresource) + len(asked.name)
    return where + what < _LONGEST


def _remember(known: dict[_Key, _Found], key: _Key, found: _Found) -> None:
    if len(known) >= _REMEMBERED:
        known.clear()
    known[key] = found


def _order(grant: _Grant) -> int:
    return grant.order
