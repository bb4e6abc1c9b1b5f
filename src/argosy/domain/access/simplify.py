"""Shorter predicates with the same meaning, so that SQL stays small when an account has hundreds of rules.

Two hundred rules that each allow one namespace become one OneOf, which PostgreSQL answers with one hashed or indexed
lookup per row. Every step is linear in the tree. Called by `engine.filter`; the meaning is defined in `predicate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from argosy.domain.access.globs import collapse
from argosy.domain.access.predicate import (
    All,
    And,
    Glob,
    LabelGlob,
    LabelIs,
    Nothing,
    OneOf,
    Or,
    Predicate,
    TagsAll,
    TagsAny,
)

GroupKey = tuple[type, str]
Key = GroupKey | Predicate


def simplify(predicate: Predicate) -> Predicate:
    match predicate:
        case And(parts):
            return conjunction(simplify(part) for part in parts)
        case Or(parts):
            return disjunction(simplify(part) for part in parts)
        case OneOf(_, ()) | Glob(_, ()) | LabelIs(_, ()) | LabelGlob(_, ()) | TagsAny(()):
            return Nothing()
        case TagsAll(()):
            return All()
        case Glob(field, patterns):
            return Glob(field, _distinct(collapse(pattern) for pattern in patterns))
        case LabelGlob(key, patterns):
            return LabelGlob(key, _distinct(collapse(pattern) for pattern in patterns))
        case _:
            return predicate


def conjunction(parts: Iterable[Predicate]) -> Predicate:
    """All of these, which are simple already."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,))]
    if any(isinstance(part, Nothing) for part in flat):
        return Nothing()
    kept = _merged((part for part in flat if not isinstance(part, All)), _all_key)
    return kept[0] if len(kept) == 1 else And(kept) if kept else All()


def disjunction(parts: Iterable[Predicate]) -> Predicate:
    """Any of these, which are simple already."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))]
    if any(isinstance(part, All) for part in flat):
        return All()
    merged = _merged((part for part in flat if not isinstance(part, Nothing)), _any_key)
    kept = tuple(_without_absorbed(merged))
    return kept[0] if len(kept) == 1 else Or(kept) if kept else Nothing()


def _without_absorbed(alternatives: tuple[Predicate, ...]) -> Iterator[Predicate]:
    """`A or (A and B)` is `A`: a conjunction goes when one of its parts is already granted as a whole."""
    whole: dict[Key, frozenset[str]] = {}
    for part in alternatives:
        if not isinstance(part, And):
            whole[_any_key(part) or part] = frozenset(_values(part))
    for part in alternatives:
        if isinstance(part, And) and any(_is_covered(inner, whole) for inner in part.parts):
            continue
        yield part


def _is_covered(part: Predicate, whole: dict[Key, frozenset[str]]) -> bool:
    covering = whole.get(_any_key(part) or part)
    return covering is not None and covering.issuperset(_values(part))


def _merged(
    parts: Iterable[Predicate], key_of: Callable[[Predicate], GroupKey | None]
) -> tuple[Predicate, ...]:
    """Each part once, in the order first met; leaves about the same thing become one leaf with all their values."""
    groups: dict[Key, list[Predicate]] = {}
    for part in parts:
        groups.setdefault(key_of(part) or part, []).append(part)
    return tuple(group[0] if len(group) == 1 else _united(group) for group in groups.values())


def _united(group: list[Predicate]) -> Predicate:
    first = group[0]
    values = _distinct(value for part in group for value in _values(part))
    match first:
        case OneOf(field, _):
            return OneOf(field, values)
        case Glob(field, _):
            return Glob(field, values)
        case LabelIs(key, _):
            return LabelIs(key, values)
        case LabelGlob(key, _):
            return LabelGlob(key, values)
        case TagsAny(_, of):
            return TagsAny(values, of)
        case TagsAll(_, of):
            return TagsAll(values, of)
        case _:
            return first


def _any_key(part: Predicate) -> GroupKey | None:
    match part:
        case OneOf(name, _) | Glob(name, _) | LabelIs(name, _) | LabelGlob(name, _) | TagsAny(_, name):
            return type(part), name
        case _:
            return None


def _all_key(part: Predicate) -> GroupKey | None:
    return (TagsAll, part.of) if isinstance(part, TagsAll) else None


def _values(part: Predicate) -> tuple[str, ...]:
    match part:
        case OneOf(_, values) | LabelIs(_, values) | TagsAny(values, _) | TagsAll(values, _):
            return values
        case Glob(_, patterns) | LabelGlob(_, patterns):
            return patterns
        case _:
            return ()


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
