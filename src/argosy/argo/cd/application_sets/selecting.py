"""Filters what a generator made, by a selector over its parameters: all of them as texts, by the path to each."""

from __future__ import annotations

from collections.abc import Sequence

from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.argo.cd.application_sets.tags import Params
from argosy.contracts.argo.application_set import Selector
from argosy.domain.templates import formatting

_WITH_VALUES, _WITHOUT = ("In", "NotIn"), ("Exists", "DoesNotExist")


def flattened(params: Params) -> dict[str, str]:
    """`a.b` for what is in a map, `a.0` for what is in a list."""
    found: dict[str, str] = {}
    _flatten("", params, found)
    return found


def _flatten(path: str, value: object, found: dict[str, str]) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _flatten(f"{path}.{key}" if path else key, inner, found)
    elif type(value) is list:
        for at, inner in enumerate(value):
            _flatten(f"{path}.{at}", inner, found)
    else:
        found[path] = formatting.text(value)


def selected(params: Sequence[Params], selector: Selector | None) -> list[Params]:
    if selector is None:
        return list(params)
    _check(selector)
    return [one for one in params if matches(selector, flattened(one))]


def matches(selector: Selector, values: dict[str, str]) -> bool:
    return all(values.get(key) == value for key, value in selector.match_labels.items()) and all(
        _meets(one.operator, one.values, values.get(one.key)) for one in selector.match_expressions
    )


def _meets(operator: str, wanted: Sequence[str], value: str | None) -> bool:
    match operator:
        case "In":
            return value is not None and value in wanted
        case "NotIn":
            return value is None or value not in wanted
        case "Exists":
            return value is not None
    return value is None


def _check(selector: Selector) -> None:
    for one in selector.match_expressions:
        if one.operator not in {*_WITH_VALUES, *_WITHOUT}:
            raise _bad(f'"{one.operator}" is not a valid pod selector operator')
        if one.operator in _WITH_VALUES and not one.values:
            raise _bad(f"{one.key}: for 'in', 'notin' operators, values set can't be empty")
        if one.operator in _WITHOUT and one.values:
            raise _bad(f"{one.key}: values set must be empty for exists and does not exist")


def _bad(why: str) -> GenerationFailed:
    return GenerationFailed(f"error parsing label selector: {why}")
