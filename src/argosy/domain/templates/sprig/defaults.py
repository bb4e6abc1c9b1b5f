"""Sprig's functions that choose between values, and those on their types."""

from __future__ import annotations

from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.values import copied, kind_of, same, truth, type_of


def is_empty(value: object) -> bool:
    return not truth(value)


def default(otherwise: object, *given: object) -> object:
    return otherwise if not given or is_empty(given[0]) else given[0]


def empty(value: object) -> bool:
    return is_empty(value)


def coalesce(*values: object) -> object:
    return next((one for one in values if not is_empty(one)), None)


def all_(*values: object) -> bool:
    return not any(map(is_empty, values))


def any_(*values: object) -> bool:
    return not all(map(is_empty, values))


def ternary(yes: object, no: object, holds: bool) -> object:
    return yes if holds else no


def deep_copy(value: object) -> object:
    if value is None:
        raise FunctionError("reflect: call of reflect.Value.Type on zero Value")
    return copied(value)


def deep_equal(left: object, right: object) -> bool:
    return same(left, right)


def type_name(value: object) -> str:
    return "<nil>" if value is None else type_of(value)


def type_is(target: str, value: object) -> bool:
    return target == type_name(value)


def type_is_like(target: str, value: object) -> bool:
    return type_name(value) in {target, f"*{target}"}


def kind_name(value: object) -> str:
    return kind_of(value)


def kind_is(target: str, value: object) -> bool:
    return target == kind_of(value)


FUNCTIONS: dict[str, Implementation] = {
    "all": all_,
    "any": any_,
    "coalesce": coalesce,
    "deepCopy": deep_copy,
    "deepEqual": deep_equal,
    "default": default,
    "empty": empty,
    "kindIs": kind_is,
    "kindOf": kind_name,
    "mustDeepCopy": deep_copy,
    "ternary": ternary,
    "typeIs": type_is,
    "typeIsLike": type_is_like,
    "typeOf": type_name,
}
