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

    program = jq.compile(f"del({expression})")
    try:
        found = iter(program.input_value(obj))
        first, more = next(found, None), next(found, None)
    except ValueError:
        raise ValueError(
            "it does not fit the object"
        ) from None  # libjq's words quote the object, which may be a Secret
    if not isinstance(first, dict) or more is not None:
        raise ValueError("it makes something else of the object")
    return first
