"""The functions that `text/template` brings itself. `and` and `or` stop early, so the evaluator does those."""

from __future__ import annotations

import urllib.parse

from argosy.domain.templates import budget, formatting
from argosy.domain.templates.calling import Implementation, Raw
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.quoting import is_printed
from argosy.domain.templates.values import (
    NOTHING,
    StringMap,
    Uint8,
    kind_of,
    octets,
    truth,
    type_of,
)

_BASIC = {
    "string": "string",
    "bool": "bool",
    "int": "int",
    "int64": "int",
    "uint8": "uint",
    "float64": "float",
}


def not_(value: Raw) -> bool:
    return not truth(value)


def len_(value: Raw) -> int:
    if value is NOTHING:
        raise FunctionError("reflect: call of reflect.Value.Type on zero Value")
    if value is None:
        raise FunctionError("len of nil pointer")
    if isinstance(value, str):
        return len(octets(value))
    if isinstance(value, dict | list):
        return len(value)
    raise FunctionError(f"len of type {type_of(value)}")


def index(item: Raw, *indexes: Raw) -> object:
    if item is None or item is NOTHING:
        raise FunctionError("index of untyped nil")
    for one in indexes:
        if item is None:
            raise FunctionError("index of nil pointer")
        item = _at(item, one)
    return item


def _at(item: object, one: object) -> object:
    if isinstance(item, dict):
        if one is None or one is NOTHING:
            raise FunctionError("value is nil; should be of type string")
        if type(one) is not str:
            raise FunctionError(f"value has type {type_of(one)}; should be string")
        return item.get(one, "" if isinstance(item, StringMap) else None)
    if isinstance(item, str):
        data = octets(item)
        return Uint8(data[_position(one, len(data))])
    if isinstance(item, list):
        return item[_position(one, len(item))]
    raise FunctionError(f"can't index item of type {type_of(item)}")


def _position(one: object, length: int) -> int:
    if one is None or one is NOTHING:
        raise FunctionError("cannot index slice/array with nil")
    if isinstance(one, bool) or not isinstance(one, int):
        raise FunctionError(f"cannot index slice/array with type {type_of(one)}")
    if one < 0 or one > length:
        raise FunctionError(f"index out of range: {one}")
    if one == length:
        raise FunctionError("reflect: slice index out of range")
    return one


def print_(*values: object) -> str:
    return formatting.sprint(values)


def println(*values: object) -> str:
    return " ".join(map(formatting.text, values)) + "\n"


def printf(format: str, *values: object) -> str:
    return formatting.sprintf(format, values)


def eq(first: Raw, *others: Raw) -> bool:
    if not others:
        raise FunctionError("missing argument for comparison")
    return any(_equal(first, other) for other in others)


def _equal(left: object, right: object) -> bool:
    nothing = [one is None or one is NOTHING for one in (left, right)]
    kinds = _BASIC.get(kind_of(left)), _BASIC.get(kind_of(right))
    if kinds[0] != kinds[1]:
        if set(kinds) == {"int", "uint"}:
            return left == right
        if not any(nothing):
            raise FunctionError(f"incompatible types for comparison: {type_of(left)} and {type_of(right)}")
        return False
    if kinds[0] is not None:
        return left == right
    if any(nothing):
        return all(nothing)
    if kind_of(left) != kind_of(right):
        raise FunctionError(
            f"non-comparable types {formatting.sprintf('%s', [left])}: {type_of(left)}, {type_of(right)}: {formatting.text(right)}"
        )
    if kind_of(right) in {"map", "slice"}:
        raise FunctionError(f"non-comparable type {formatting.sprintf('%s', [right])}: {type_of(right)}")
    return left == right


def ne(left: Raw, right: Raw) -> bool:
    return not eq(left, right)


def lt(left: Raw, right: Raw) -> bool:
    kinds = _BASIC.get(kind_of(left)), _BASIC.get(kind_of(right))
    if None in kinds:
        raise FunctionError("invalid type for comparison")
    if kinds[0] != kinds[1] and set(kinds) != {"int", "uint"}:
        raise FunctionError(f"incompatible types for comparison: {type_of(left)} and {type_of(right)}")
    if kinds[0] == "bool":
        raise FunctionError("invalid type for comparison")
    if isinstance(left, str) and isinstance(right, str):
        return octets(left) < octets(right)
    assert isinstance(left, int | float) and isinstance(right, int | float)
    return left < right


def le(left: Raw, right: Raw) -> bool:
    return lt(left, right) or eq(left, right)


def gt(left: Raw, right: Raw) -> bool:
    return not le(left, right)


def ge(left: Raw, right: Raw) -> bool:
    return not lt(left, right)


def call(function: Raw, *args: Raw) -> object:
    raise FunctionError("parameters hold no functions that could be called")


_HTML = str.maketrans({'"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\x00": "\ufffd"})
_JAVASCRIPT = {
    "\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D",
}  # fmt: skip


def html(*values: object) -> str:
    return _shown(values).translate(_HTML)


def js(*values: object) -> str:
    return "".join(map(_in_javascript, _shown(values)))


def urlquery(*values: object) -> str:
    return urllib.parse.quote_plus(octets(_shown(values)), safe="~")


def _shown(values: tuple[object, ...]) -> str:
    shown = formatting.sprint(["<no value>" if one is None else one for one in values])
    budget.text_of(len(shown) * 6)
    return shown


def _in_javascript(char: str) -> str:
    if char in _JAVASCRIPT:
        return _JAVASCRIPT[char]
    if char < " ":
        return f"\\u00{ord(char):02X}"
    return char if ord(char) < 0x80 or is_printed(char) else f"\\u{ord(char):04X}"


FUNCTIONS: dict[str, Implementation] = {
    "call": call,
    "eq": eq,
    "ge": ge,
    "gt": gt,
    "html": html,
    "index": index,
    "js": js,
    "le": le,
    "len": len_,
    "lt": lt,
    "ne": ne,
    "not": not_,
    "print": print_,
    "printf": printf,
    "println": println,
    "urlquery": urlquery,
}
