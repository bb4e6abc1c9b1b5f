"""One rule of a role: what it allows, and whether it covers another one.

`rbac` finds the rules of a user and asks what they allow; `escalation` asks whether they cover the rules that the user
wants to give away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from argosy.kube.objects import Object
from argosy.kube.server.access.quoting import quoted_list
from argosy.kube.server.access.vocabulary import Attributes

MOST_RIGHTS = 20_000


class TooManyRights(Exception):
    """Comparing them one by one would keep everybody else waiting."""


class Rule(NamedTuple):
    verbs: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()

    def allows(self, asked: Attributes) -> bool:
        if not ("*" in self.verbs or asked.verb in self.verbs):
            return False
        if asked.path:
            return any(_url_covers(url, asked.path) for url in self.urls)
        return (
            ("*" in self.groups or asked.group in self.groups)
            and any(key in self.resources for key in resource_keys(asked))
            and (not self.names or asked.name in self.names)
        )

    def described(self) -> str:
        parts = (
            ("APIGroups", self.groups),
            ("Resources", self.resources),
            ("NonResourceURLs", self.urls),
            ("ResourceNames", self.names),
            ("Verbs", self.verbs),
        )
        return "{" + ", ".join(f"{name}:{quoted_list(values)}" for name, values in parts if values) + "}"


def resource_keys(asked: Attributes) -> tuple[str, ...]:
    """What a rule's `resources` may say to mean it."""
    if not asked.subresource:
        return ("*", asked.resource)
    return ("*", f"{asked.resource}/{asked.subresource}", f"*/{asked.subresource}")


def rules_of(role: Object) -> tuple[Rule, ...]:
    rules = role.get("rules")
    return tuple(_rule(one) for one in rules if isinstance(one, dict)) if isinstance(rules, list) else ()


def uncovered(held: Iterable[Rule], wanted: Iterable[Rule]) -> list[Rule]:
    """What of the wanted rules nobody who holds the others may give away, in single rights.

    A rule of a few lines may stand for millions of them: then TooManyRights is raised, unless one held rule covers it.
    """
    holding = list(held)
    filed: dict[str, list[Rule]] = {}
    for rule in holding:
        for resource in rule.resources or ("",):
            filed.setdefault(resource, []).append(rule)
    unclear = [rule for rule in wanted if not any(_covers_whole(one, rule) for one in holding)]
    if sum(map(_count, unclear)) > MOST_RIGHTS:
        raise TooManyRights
    return [
        right
        for rule in unclear
        for right in _single_rights(rule)
        if not any(_covers(one, right) for one in (holding if right.urls else _candidates(filed, right)))
    ]


def compacted(rights: Iterable[Rule]) -> list[Rule]:
    """Single rights with the verbs on one resource put together, for a message."""
    urls: list[Rule] = []
    merged: dict[Rule, Rule] = {}
    for right in rights:
        if right.urls:
            urls.append(right)
            continue
        key = right._replace(verbs=())
        known = merged.get(key, key)
        merged[key] = known._replace(verbs=(*known.verbs, *right.verbs))
    return [*urls, *merged.values()]


def _rule(written: Object) -> Rule:
    return Rule(
        _texts(written, "verbs"),
        _texts(written, "apiGroups"),
        _texts(written, "resources"),
        _texts(written, "resourceNames"),
        _texts(written, "nonResourceURLs"),
    )


def _texts(written: Object, name: str) -> tuple[str, ...]:
    found = written.get(name)
    return tuple(map(str, found)) if isinstance(found, list) else ()


def _single_rights(rule: Rule) -> Iterator[Rule]:
    for group in rule.groups:
        for resource in rule.resources:
            for verb in rule.verbs:
                if not rule.names:
                    yield Rule((verb,), (group,), (resource,))
                for name in rule.names:
                    yield Rule((verb,), (group,), (resource,), (name,))
    for url in rule.urls:
        for verb in rule.verbs:
            yield Rule((verb,), urls=(url,))


def _count(rule: Rule) -> int:
    named = len(rule.groups) * len(rule.resources) * max(1, len(rule.names))
    return len(rule.verbs) * (named + len(rule.urls))


def _covers_whole(held: Rule, wanted: Rule) -> bool:
    """One rule by one other, without looking at single rights: true only if it surely does."""
    return (
        not wanted.urls
        and not held.names
        and ("*" in held.verbs or set(wanted.verbs) <= set(held.verbs))
        and ("*" in held.groups or set(wanted.groups) <= set(held.groups))
        and ("*" in held.resources or set(wanted.resources) <= set(held.resources))
    )


def _candidates(filed: dict[str, list[Rule]], right: Rule) -> Iterator[Rule]:
    (resource,) = right.resources
    subresource = resource.partition("/")[2]
    for key in ("*", resource, f"*/{subresource}") if subresource else ("*", resource):
        yield from filed.get(key, ())


def _covers(held: Rule, right: Rule) -> bool:
    return (
        ("*" in held.verbs or right.verbs[0] in held.verbs)
        and ("*" in held.groups or all(group in held.groups for group in right.groups))
        and all(_resource_covered(held, resource) for resource in right.resources)
        and (not held.names or (bool(right.names) and right.names[0] in held.names))
        and all(any(_url_covers(url, wanted) for url in held.urls) for wanted in right.urls)
    )


def _resource_covered(held: Rule, resource: str) -> bool:
    if "*" in held.resources or resource in held.resources:
        return True
    _, slash, subresource = resource.partition("/")
    return bool(slash) and f"*/{subresource}" in held.resources


def _url_covers(held: str, wanted: str) -> bool:
    return held == wanted or (held.endswith("*") and wanted.startswith(held.rstrip("*")))
