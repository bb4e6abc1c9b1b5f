"""Whether what somebody applies fits the schema: unknown fields, wrong types and items that stand twice are refused.

Only applied objects are checked here, before anything is merged; live objects were decoded long ago. The words are
upstream's, which print values as Go does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from argosy.kube.schema import List, Map, Node, Scalar, Struct
from argosy.kube.server.ownership.elements import BadElement, of_item, told
from argosy.kube.server.ownership.shapes import ANY, Root, Shape
from argosy.kube.server.patches.go_text import shown, syntax, type_name

_NUMBERS = {"int32", "int64", "float64"}
_ANY_SCALAR = {"Quantity", "IntOrString", "Time", "MicroTime"}


class Fault(NamedTuple):
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


def faults(shape: Root, value: object) -> str:
    """All of them as one message; empty when there is none."""
    found = list(_check(shape, value, ""))
    if len(found) < 2:
        return "".join(map(str, found))
    return "\n".join(["errors:", *(f"  {fault}" for fault in found)])


def _check(shape: Shape, value: object, path: str) -> Iterator[Fault]:
    node = shape.node
    if value is None or shape.kind == "any":
        return
    if isinstance(node, Scalar):
        message = _scalar(node, value)
        if message:
            yield Fault(path, message)
    elif isinstance(node, List):
        if isinstance(value, list):
            yield from _items(shape, node, value, path)
        else:
            yield Fault(path, f"expected list, got &{{{shown(value)}}}")
    elif isinstance(node, Struct | Map):
        if isinstance(value, dict):
            yield from _fields(shape, node, value, path)
        else:
            yield Fault(path, f"expected map, got &{{{shown(value)}}}")


def _fields(shape: Shape, node: Node, value: dict[str, object], path: str) -> Iterator[Fault]:
    fields = shape.fields
    for name, below in value.items():
        known = fields.get(name) or shape.rest
        if known is None:
            yield Fault(f"{path}.{name}", "field not declared in schema")
            return
        if below is not None and known is not ANY:
            yield from _check(known, below, f"{path}.{name}")


def _items(shape: Shape, node: List, value: list[object], path: str) -> Iterator[Fault]:
    inside = shape.item or ANY
    seen: set[str] = set()
    for index, item in enumerate(value):
        if shape.kind == "leaf":
            yield from _check(inside, item, f"{path}[{index}]")
            continue
        try:
            element = of_item(item, shape.keys, shape.defaults)
        except BadElement as error:
            yield Fault(path, f"element {index}: {error}")
            return
        if element in seen:
            yield Fault(path, f"duplicate entries for key {told(element)}")
        seen.add(element)
        yield from _check(inside, item, path + told(element))


def _scalar(node: Scalar, value: object) -> str:
    kind = node.type
    if kind in _ANY_SCALAR:
        if isinstance(value, dict | list):
            return f"expected any scalar, got &{{{shown(value)}}}"
    elif kind in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"expected numeric (int or float), got {type_name(value)}"
    elif kind == "bool":
        if not isinstance(value, bool):
            return f"expected boolean, got &{{{shown(value)}}}"
    elif not isinstance(value, str):
        return f"expected string, got &value.valueUnstructured{{Value:{syntax(value)}}}"
    return ""
