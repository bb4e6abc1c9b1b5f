"""The built-in types as nodes, each made once and when it is first reached."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from argosy.kube.schema.node import List, ListType, Map, Member, Node, Scalar, Struct, Untyped
from argosy.kube.types import Field, Type, pinned

_UNTYPED = {
    "JSON",
    "FieldsV1",
    "JSONSchemaPropsOrArray",
    "JSONSchemaPropsOrBool",
    "JSONSchemaPropsOrStringArray",
}


@cache
def struct(name: str) -> Struct:
    """Of a type of the table. `KeyError` when there is none."""
    found = pinned().type(name)
    if found is None:
        raise KeyError(name)
    return Struct(_Fields(found), name=name, atomic=found.map_type == "atomic")


class _Fields:
    """The members of one type, made when looked up: types refer to themselves."""

    def __init__(self, described: Type) -> None:
        self._described = described.fields
        self._made: dict[str, Member] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._described

    def __iter__(self) -> Iterator[str]:
        return iter(self._described)

    def __getitem__(self, name: str) -> Member:
        if name not in self._made:
            self._made[name] = _member(self._described[name])
        return self._made[name]

    def get(self, name: str) -> Member | None:
        return self[name] if name in self._described else None


def _member(field: Field) -> Member:
    return Member(
        _node(field.type, field),
        required=field.required,
        default=field.default,
        strategy=field.strategy,
        merge_key=field.merge_key,
        presence=field.presence,
    )


def _node(kind: str, field: Field | None = None) -> Node:
    if kind.startswith("[]"):
        return _list(kind[2:], field)
    if kind.startswith("{}"):
        return Map(_node(kind[2:]), atomic=field is not None and field.map_type == "atomic")
    if kind == "RawExtension":
        return Untyped(embedded=True)
    if kind in _UNTYPED:
        return Untyped()
    if pinned().type(kind) is None:
        return Scalar(kind)
    made = struct(kind)
    atomic = made.atomic if field is None or not field.map_type else field.map_type == "atomic"
    return made if atomic == made.atomic else Struct(made.fields, name=made.name, atomic=atomic)


def _list(item: str, field: Field | None) -> List:
    kind: ListType = "atomic"
    match field.list_type if field else "":
        case "set":
            kind = "set"
        case "map":
            kind = "map"
    keys = field.keys if field else ()
    described = pinned().type(item) if keys else None
    defaults = {
        key: described.fields[key].default
        for key in keys
        if described is not None and described.fields[key].default is not None
    }
    return List(_node(item), kind, keys, defaults)
