"""Field sets that were written under another schema, and the forms of a set that a schema tells apart."""

from __future__ import annotations

from argosy.kube.server.ownership.fieldset import FieldSet, belongs
from argosy.kube.server.ownership.shapes import ANY, Shape


def reconcile(shape: Shape, fields: FieldSet) -> FieldSet:
    """What became one field since (atomic) is owned as one. The same set when nothing did."""
    return fields if shape.free else _inside(shape, fields)


def _inside(shape: Shape, fields: FieldSet) -> FieldSet:
    out: FieldSet | None = None
    for element, below in fields.items():
        if not below or element == ".":
            continue
        inside = _shape(shape, element)
        if inside is None:
            continue
        known = (
            {}
            if inside.container
            else below
            if inside.free or inside.kind == "leaf"
            else _inside(inside, below)
        )
        if known is not below:
            if out is None:
                out = dict(fields)
            out[element] = known
    return fields if out is None else out


def _shape(shape: Shape, element: str) -> Shape | None:
    """None for a field that the schema no longer has."""
    if shape.kind == "list":
        return shape.item
    return (shape.fields.get(element[2:]) if element[0] == "f" else None) or shape.rest


def with_named(shape: Shape, fields: FieldSet) -> FieldSet:
    """With the fields that hold others, where the schema names them: usually nobody owns those."""
    out: FieldSet = {}
    for element, below in fields.items():
        if not below:
            out[element] = below
            continue
        named = shape.kind == "map" and element[0] == "f" and element[2:] in shape.fields
        inside = with_named(_below(shape, element), below)
        out[element] = {".": {}, **inside} if named and not belongs(below) else inside
    return out


def _below(shape: Shape, element: str) -> Shape:
    if element[0] == "f" and shape.kind in {"map", "any"}:
        return shape.child(element[2:])
    if element[0] == "k" and shape.kind == "list":
        return shape.item or ANY
    return ANY
