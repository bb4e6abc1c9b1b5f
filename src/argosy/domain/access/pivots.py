"""The inner index of a RuleSet: from a resource's own values straight to the rules that ask for them.

Two hundred rules of one team usually differ in one literal: a namespace, a label, a tag. Each rule is filed under such
a literal (its pivot), so a decision tests the few rules filed under what the resource has, plus those with wildcards
only. Filing never decides anything: a rule found this way is still tested as a whole. Built by `engine.RuleSet`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from argosy.domain.access.model import Resource
from argosy.domain.access.predicate import (
    All,
    And,
    LabelIs,
    OneOf,
    Predicate,
    TagsAll,
    TagsAny,
    Test,
    compile_predicate,
    tags_of,
)

Read = Callable[[Resource], Sequence[str]]
Filed = list[tuple[Test, str]]


class Pivot(msgspec.Struct, frozen=True):
    """Rules that name, literally, what they want of one field."""

    read: Read
    filed: Mapping[str, Filed]


class Index(msgspec.Struct, frozen=True):
    """The rules of one entity, action and team."""

    rules: tuple[str, ...]
    unconditional: str | None
    pivots: tuple[Pivot, ...]
    others: Filed

    def granting(self, resource: Resource) -> str | None:
        if self.unconditional is not None:
            return self.unconditional
        for pivot in self.pivots:
            for value in pivot.read(resource):
                for test, rule in pivot.filed.get(value, ()):
                    if test(resource):
                        return rule
        for test, rule in self.others:
            if test(resource):
                return rule
        return None


def build_index(predicates: Mapping[str, Predicate]) -> Index:
    unconditional = next((rule for rule, predicate in predicates.items() if isinstance(predicate, All)), None)
    fields: dict[tuple[type, str], dict[str, Filed]] = {}
    others: Filed = []
    for rule, predicate in predicates.items():
        entry = (compile_predicate(predicate), rule)
        pivot = _pivot_of(predicate)
        if pivot is None:
            others.append(entry)
            continue
        kind, name, values = pivot
        table = fields.setdefault((kind, name), {})
        for value in values:
            table.setdefault(value, []).append(entry)
    pivots = tuple(Pivot(_reader(kind, name), table) for (kind, name), table in fields.items())
    return Index(tuple(predicates), unconditional, pivots, others)


def _pivot_of(predicate: Predicate) -> tuple[type, str, tuple[str, ...]] | None:
    """A literal without which the predicate cannot hold: any one of the values must be present."""
    match predicate:
        case And(parts):
            return next((pivot for pivot in map(_pivot_of, parts) if pivot is not None), None)
        case OneOf(field, values):
            return OneOf, field, values
        case LabelIs(key, values):
            return LabelIs, key, values
        case TagsAny(values, of):
            return TagsAny, of, values
        case TagsAll(values, of):
            return TagsAny, of, values[:1]
        case _:
            return None


def _reader(kind: type, name: str) -> Read:
    if kind is OneOf:
        return lambda resource: resource.attributes.get(name, ())
    if kind is LabelIs:
        return lambda resource: (resource.labels[name],) if name in resource.labels else ()
    return lambda resource: tags_of(resource, name)
