"""A JSON value as Go would hold it after reading it into a built-in type: what the type does not know is gone, nulls are
gone, empty values are gone where Go omits them and filled in where Go writes them, quantities and times are canonical.

Clients compare what they sent with what they get back, and server-side apply owns what is there; so this has to be exact.
`api.writing` decodes every body with it, and again what a patch made. Custom resources have `crds` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from argosy.kube.errors import ApiError, bad_request
from argosy.kube.objects import Object
from argosy.kube.schema import List, Map, Member, Node, Scalar, Struct, Untyped
from argosy.kube.server.decoding import scalars

_NUMBERS = frozenset({"int32", "int64", "float64", "IntOrString"})


class Decoded(NamedTuple):
    obj: Object
    unknown: list[str]
    """Paths of fields that the type does not have."""
    empties: tuple[tuple[Object, str], ...] = ()
    """Where a list or map is that has nothing in it although Go writes it always. What is stored does not tell that from nothing at
    all (`forget_empties`)."""


Empties: TypeAlias = list[tuple[Object, str]]


class Mismatch(Exception):
    """A value of the wrong type. `path` grows on the way out."""

    def __init__(self, found: str, wanted: str) -> None:
        super().__init__()
        self.found, self.wanted = found, wanted
        self.path: list[str] = []
        self.holder = ""


def decode(value: object, schema: Struct, *, fill: bool = True) -> Decoded:
    """`fill`: with the empty values that Go writes; an applied configuration must not get them."""
    unknown: list[str] = []
    empties: list[tuple[Object, str]] = []
    try:
        return Decoded(
            _struct(value, schema, "", unknown, empties if fill else None), unknown, tuple(empties)
        )
    except Mismatch as error:
        raise _told(error) from error
    except ValueError as error:
        raise bad_request(str(error)) from error


def _struct(value: object, node: Struct, path: str, unknown: list[str], fill: Empties | None) -> Object:
    if type(value) is not dict:
        raise Mismatch(_json_type(value), _go_type(node))
    fields, made = node.fields, {}
    for name, inner in value.items():
        member = fields.get(name)
        if member is None:
            if node.open:
                made[name] = inner
            else:
                unknown.append(f"{path}.{name}" if path else name)
            continue
        if inner is None:
            continue
        try:
            got = _value(inner, member.node, f"{path}.{name}" if path else name, unknown, fill)
        except Mismatch as error:
            error.path.insert(0, name)
            error.holder = error.holder or node.name
            raise
        if not got and fill is not None and not isinstance(member.node, Struct):
            if member.presence == "e":
                continue
            if member.presence == "a" and isinstance(member.node, List | Map):
                fill.append((made, name))
        made[name] = got
    if fill is not None:
        for name, zero in _always(node.name):
            if name not in made:
                made[name] = zero() if zero is not None else None
    return made


def forget_empties(empties: Iterable[tuple[Object, str]]) -> None:
    """What is stored says nothing where there is nothing."""
    for holder, name in empties:
        if holder.get(name) in ([], {}):
            holder[name] = None


def fill(obj: Object, schema: Struct) -> None:
    """The empty values that Go writes of what is missing, at the top: a status that was taken away comes back as nothing."""
    for name, zero in _always(schema.name):
        if name not in obj:
            obj[name] = zero() if zero is not None else None


def _value(value: object, node: Node, path: str, unknown: list[str], fill: Empties | None) -> Any:
    match node:
        case Scalar(kind):
            try:
                return scalars.READ[kind](value)
            except scalars.WrongType:
                raise Mismatch(_told_type(value, kind), scalars.GO.get(kind, kind)) from None
        case Struct():
            return _struct(value, node, path, unknown, fill)
        case List(item):
            if type(value) is not list:
                raise Mismatch(_json_type(value), _go_type(node))
            return [
                _zero_of(item) if one is None else _value(one, item, f"{path}[{at}]", unknown, fill)
                for at, one in enumerate(value)
            ]
        case Map(inner):
            if type(value) is not dict:
                raise Mismatch(_json_type(value), _go_type(node))
            return {
                name: _zero_of(inner) if one is None else _value(one, inner, f"{path}.{name}", unknown, fill)
                for name, one in value.items()
            }
        case Untyped(embedded):
            if embedded and type(value) is not dict:
                raise Mismatch(_json_type(value), "map[string]interface {}")
            return value


@cache
def _always(name: str) -> tuple[tuple[str, Callable[[], Any] | None], ...]:
    """What Go writes although nobody set it, with a maker of each; None for what Go writes as null."""
    if not name:
        return ()
    from argosy.kube.schema import struct

    found = struct(name).fields
    return tuple((field, _maker(found[field])) for field in found if found[field].presence in {"a", "n"})


def _maker(member: Member) -> Callable[[], Any] | None:
    if member.presence == "n":
        return None
    match member.node:
        case Struct() as inner:
            return lambda: _zero_struct(inner.name)
        case Scalar(kind):
            return lambda: scalars.ZERO[kind]
        case _:
            return None


def _zero_struct(name: str) -> Object:
    return {field: make() if make is not None else None for field, make in _always(name)}


def _zero_of(node: Node) -> Any:
    match node:
        case Struct():
            return _zero_struct(node.name)
        case Scalar(kind):
            return scalars.ZERO[kind]
        case _:
            return None


def _json_type(value: object) -> str:
    match value:
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _told_type(value: object, kind: str) -> str:
    """A number that does not fit is told, one where something else should be is not."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"number {value}"[:100] if is_number and kind in _NUMBERS else _json_type(value)


def _go_type(node: Node) -> str:
    match node:
        case Struct():
            _, version, kind = node.name.rsplit(".", 2) if node.name.count(".") >= 2 else ("", "", node.name)
            return f"{version}.{kind}" if version else kind
        case List(item):
            return f"[]{_go_type(item)}"
        case Map(inner):
            return f"map[string]{_go_type(inner)}"
        case Scalar(kind):
            return scalars.GO.get(kind, kind)
        case _:
            return "interface {}"


def _told(error: Mismatch) -> ApiError:
    holder = error.holder.rsplit(".", 1)[-1]
    if not error.path:
        return bad_request(f"json: cannot unmarshal {error.found} into Go value of type {error.wanted}")
    return bad_request(
        f"json: cannot unmarshal {error.found} into Go struct field {holder}.{'.'.join(error.path)} "
        f"of type {error.wanted}"
    )
