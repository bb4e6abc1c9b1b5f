"""What a schema fills in where an object says nothing, when it is written and when it is read."""

from __future__ import annotations

from typing import Any

from argosy.kube.objects import Object
from argosy.kube.server.crds.shapes import Shape
from argosy.kube.server.patches.depth import bounded


@bounded
def default(obj: Object, shape: Shape) -> None:
    """In place."""
    _object(obj, shape)


def _object(value: Object, shape: Shape) -> None:
    for name, given, nullable in shape.defaults:
        if name not in value or (value[name] is None and not nullable):
            value[name] = _copied(given)
    properties = shape.properties
    for name, inner in value.items():
        if type(inner) is dict or type(inner) is list:
            child = properties[name]
            if child is None and shape.with_rest:
                child = shape.rest
            if child is not None:
                _container(inner, child)
        elif inner is None and shape.with_rest and properties[name] is None:
            rest = shape.rest
            if rest is not None and not rest.nullable:
                value[name] = _copied(rest.default)


def _container(value: Any, shape: Shape) -> None:
    if type(value) is dict:
        _object(value, shape)
    elif (items := shape.items) is not None:
        for at, one in enumerate(value):
            if type(one) is dict or type(one) is list:
                _container(one, items)
            elif one is None and not items.nullable:
                value[at] = _copied(items.default)


def _copied(value: Any) -> Any:
    if type(value) is dict:
        return {name: _copied(inner) for name, inner in value.items()}
    if type(value) is list:
        return [_copied(one) for one in value]
    return value
