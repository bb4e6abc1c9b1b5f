"""An object without some of its fields and items."""

from __future__ import annotations

from argosy.kube.server.ownership.elements import BadElement, of_item
from argosy.kube.server.ownership.fieldset import FieldSet, belongs
from argosy.kube.server.ownership.shapes import ANY, Shape


def remove(shape: Shape, value: object, gone: FieldSet) -> object:
    """What is left; null where nothing is."""
    if isinstance(value, dict):
        return _fields(shape, value, gone) if shape.kind in {"map", "any"} else None
    if isinstance(value, list):
        return _items(shape, value, gone) if shape.kind == "list" else None
    return value if shape.kind in {"leaf", "any"} else None


def _fields(shape: Shape, value: dict[str, object], gone: FieldSet) -> dict[str, object] | None:
    out: dict[str, object] = {}
    for name, below in value.items():
        node = gone.get("f:" + name)
        if node is None:
            out[name] = below
        elif not belongs(node):
            out[name] = remove(shape.child(name), below, node)
    return out or None


def _items(shape: Shape, value: list[object], gone: FieldSet) -> list[object] | None:
    out: list[object] = []
    for item in value:
        node = gone.get(_element(shape, item))
        if node is None:
            out.append(item)
        elif not belongs(node):
            out.append(remove(shape.item or ANY, item, node))
    return out or None


def _element(shape: Shape, item: object) -> str:
    try:
        return of_item(item, shape.keys, shape.defaults)
    except BadElement:
        return ""
