"""A filter over rows as a small tree: what `engine.filter` yields, `sql` compiles and `matches` runs in Python.

There is no negation on purpose. Rules only ever add, so a missing value can only fail to match, and SQL's NULL and
Python's absence agree. Leaves about a field hold when any of the row's values fits. `simplify` shortens the trees.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from argosy.domain.access.globs import any_glob_test
from argosy.domain.access.model import Resource

Test = Callable[[Resource], bool]


class All(msgspec.Struct, frozen=True, tag=True):
    """Every row."""


class Nothing(msgspec.Struct, frozen=True, tag=True):
    """No row."""


class AccountIs(msgspec.Struct, frozen=True, tag=True):
    account: str


class OneOf(msgspec.Struct, frozen=True, tag=True):
    field: str
    values: tuple[str, ...]


class Glob(msgspec.Struct, frozen=True, tag=True):
    """Any value of the field fits any of the patterns."""

    field: str
    patterns: tuple[str, ...]


class LabelIs(msgspec.Struct, frozen=True, tag=True):
    key: str
    values: tuple[str, ...]


class LabelGlob(msgspec.Struct, frozen=True, tag=True):
    key: str
    patterns: tuple[str, ...]


class TagsAny(msgspec.Struct, frozen=True, tag=True):
    values: tuple[str, ...]
    of: str = ""
    """The related entity whose tags are meant; empty for the row's own."""


class TagsAll(msgspec.Struct, frozen=True, tag=True):
    values: tuple[str, ...]
    of: str = ""


class Untagged(msgspec.Struct, frozen=True, tag=True):
    of: str = ""


class And(msgspec.Struct, frozen=True, tag=True):
    parts: tuple[Predicate, ...]


class Or(msgspec.Struct, frozen=True, tag=True):
    parts: tuple[Predicate, ...]


Leaf = AccountIs | OneOf | Glob | LabelIs | LabelGlob | TagsAny | TagsAll | Untagged
Predicate = All | Nothing | And | Or | Leaf


def matches(predicate: Predicate, resource: Resource) -> bool:
    return compile_predicate(predicate)(resource)


def compile_predicate(predicate: Predicate) -> Test:
    """The predicate as one function: built once per rule, called once per decision."""
    match predicate:
        case All():
            return lambda _resource: True
        case Nothing():
            return lambda _resource: False
        case And(parts):
            return _every(tuple(compile_predicate(part) for part in parts))
        case Or(parts):
            return _some(tuple(compile_predicate(part) for part in parts))
        case _:
            return _compile_leaf(predicate)


def _compile_leaf(leaf: Leaf) -> Test:
    match leaf:
        case AccountIs(account):
            return lambda resource: resource.account == account
        case OneOf(field, values):
            wanted = frozenset(values)
            return lambda resource: not wanted.isdisjoint(resource.attributes.get(field, ()))
        case Glob(field, patterns):
            return _field_fits(field, any_glob_test(patterns))
        case LabelIs(key, values):
            wanted = frozenset(values)
            return lambda resource: resource.labels.get(key) in wanted
        case LabelGlob(key, patterns):
            return _label_fits(key, any_glob_test(patterns))
        case TagsAny(values, of):
            wanted = frozenset(values)
            return lambda resource: not wanted.isdisjoint(tags_of(resource, of))
        case TagsAll(values, of):
            wanted = frozenset(values)
            return lambda resource: wanted.issubset(tags_of(resource, of))
        case Untagged(of):
            return lambda resource: not tags_of(resource, of)


def tags_of(resource: Resource, of: str) -> tuple[str, ...]:
    return resource.related_tags.get(of, ()) if of else resource.tags


def _every(tests: tuple[Test, ...]) -> Test:
    if len(tests) == 1:
        return tests[0]

    def holds(resource: Resource) -> bool:
        for test in tests:  # noqa: SIM110 - all() with a generator costs three times as much here
            if not test(resource):
                return False
        return True

    return holds


def _some(tests: tuple[Test, ...]) -> Test:
    return lambda resource: any(test(resource) for test in tests)


def _field_fits(field: str, fits: Callable[[str], bool]) -> Test:
    def holds(resource: Resource) -> bool:
        for value in resource.attributes.get(field, ()):  # noqa: SIM110 - as above
            if fits(value):
                return True
        return False

    return holds


def _label_fits(key: str, fits: Callable[[str], bool]) -> Test:
    def holds(resource: Resource) -> bool:
        value = resource.labels.get(key)
        return value is not None and fits(value)

    return holds
