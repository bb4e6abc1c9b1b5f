"""Which fields an object has: what an applier owns of what it applied."""

from __future__ import annotations

from argosy.kube.server.ownership.elements import BadElement, of_item
from argosy.kube.server.ownership.fieldset import FieldSet
from argosy.kube.server.ownership.shapes import Shape


def fields_of(shape: Shape, value: object) -> FieldSet:
    """Of a whole object."""
    return _inside(shape, value) or {}


def _inside(shape: Shape, value: object) -> FieldSet | None:
    """None says that the value is one field."""
    kind = shape.kind
    if kind == "leaf":
        return None
    if kind == "list":
        return _items(shape, value) if isinstance(value, list) else {}
    if isinstance(value, dict):
        return _fields(shape, value)
    return None if kind == "any" and value is not None else {}


def _fields(shape: Shape, value: dict[str, object]) -> FieldSet:
    out: FieldSet = {}
    named = shape.fields
    for name, below in value.items():
        known = named.get(name)
        inside = _inside(known or shape.child(name), below)
        if not inside:
            if inside is None or known is None or below is None or below == {}:
                out["f:" + name] = {}
        else:
            out["f:" + name] = inside if known is not None else {".": {}, **inside}
    return out


def _items(shape: Shape, value: list[object]) -> FieldSet:
    out: FieldSet = {}
    twice: set[str] = set()
    for item in value:
        try:
            element = of_item(item, shape.keys, shape.defaults)
        except BadElement:
            continue
        if element in out:
            twice.add(element)
        inside = _inside(shape.item, item) if shape.item is not None else None
        out[element] = {".": {}, **inside} if inside else {}
    for element in twice:
        out[element] = {}
    return out


def whole(shape: Shape, value: object) -> FieldSet:
    """Everything that comes or goes with a value: its fields, and what holds them."""
    kind = shape.kind
    if kind == "leaf" or not value:
        return {}
    if isinstance(value, dict) and kind != "list":
        named = shape.fields
        out: FieldSet = {".": {}}
        for name, below in value.items():
            out["f:" + name] = whole(named.get(name) or shape.child(name), below)
        return out
    if isinstance(value, list) and kind == "list" and shape.item is not None:
        return {".": {}, **_whole_items(shape, shape.item, value)}
    return {}


def _whole_items(shape: Shape, inside: Shape, value: list[object]) -> FieldSet:
    out: FieldSet = {}
    for item in value:
        try:
            element = of_item(item, shape.keys, shape.defaults)
        except BadElement:
            continue
        out[element] = {} if element in out else whole(inside, item)
    return out
