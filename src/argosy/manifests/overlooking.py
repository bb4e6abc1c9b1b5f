"""The jq expressions of `ignoreDifferences`, done by libjq where upstream has gojq: what they find is taken out of an object.

Runs in a worker, because an expression may never end. An expression that does not fit is a problem and changes nothing.
"""

from __future__ import annotations

from argosy.kube.objects import Object

_SHOWN = 120


def without(obj: Object, expressions: tuple[str, ...]) -> tuple[Object, list[str]]:
    """The object, and what was wrong with expressions."""
    problems: list[str] = []
    for expression in expressions:
        try:
            obj = _less(obj, expression)
        except ValueError as error:
            problems.append(f"{expression[:_SHOWN]}: {error}")
    return obj, problems


def _less(obj: Object, expression: str) -> Object:
    import jq

    found = iter(jq.compile(f"del({expression})").input_value(obj))
    first = next(found, None)
    if not isinstance(first, dict):
        raise ValueError("nothing is left of the object")  # noqa: TRY004 - what is wrong is the expression
    if next(found, None) is not None:
        raise ValueError("it makes several objects of one")
    return first
