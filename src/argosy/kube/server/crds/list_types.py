"""Lists that are sets, or maps by some keys of their items: nothing may stand twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.crds.shapes import Shape
from argosy.kube.server.rules.wording import duplicate, invalid

_JSON = msgspec.json.Encoder(order="sorted")


def check(value: Any, shape: Shape | None, path: str = "") -> list[Cause]:
    causes: list[Cause] = []
    if shape is not None:
        _walk(value, shape, path, causes)
    return causes


def _walk(value: Any, shape: Shape, path: str, causes: list[Cause]) -> None:
    if type(value) is dict:
        for name, inner in value.items():
            if type(inner) is not dict and type(inner) is not list:
                continue
            child = shape.properties[name]
            if child is not None:
                _walk(inner, child, f"{path}.{name}" if path else name, causes)
            elif shape.with_rest and shape.rest is not None:
                _walk(inner, shape.rest, f"{path}[{name}]", causes)
    elif type(value) is list:
        if shape.list_type == "set":
            causes += (duplicate(f"{path}[{at}]", value[at]) for at in _repeated(value))
        elif shape.list_type == "map":
            causes += _check_map(value, shape.keys, path)
        if shape.items is not None:
            for at, one in enumerate(value):
                if type(one) is dict or type(one) is list:
                    _walk(one, shape.items, f"{path}[{at}]", causes)


def _check_map(items: list[Any], keys: tuple[str, ...], path: str) -> Iterable[Cause]:
    for at, one in enumerate(items):
        if one is not None and type(one) is not dict:
            return [invalid(f"{path}[{at}]", one, "must be an object for an array of list-type map")]
    found = [key_of(one, keys) for one in items]
    return [duplicate(f"{path}[{at}]", found[at]) for at in _repeated(found)]


def key_of(item: Object | None, keys: tuple[str, ...]) -> Object:
    return {key: item[key] for key in keys if key in item} if item else {}


def _repeated(values: list[Any]) -> Iterator[int]:
    """Where something stands for the second time; a third time is not told."""
    if len(values) < 2:
        return
    seen: dict[bytes, int] = {}
    for at, one in enumerate(values):
        packed = _JSON.encode(one)
        seen[packed] = seen.get(packed, 0) + 1
        if seen[packed] == 2:
            yield at
