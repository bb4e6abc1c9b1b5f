"""Go's values, as far as templates meet them, in Python's.

What comes out of JSON is what Python makes of it, but for numbers, which are floats. Where Go has more types than Python, the narrower
one is a subclass: an `Int64` is not what a function wants that asks for an `int`. Nobody reads attributes of a value: fields are keys,
and the few methods stand in `methods`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Final

from argosy.domain.templates import budget, layouts


class _Nothing(Enum):
    NOTHING = "no value"


NOTHING: Final = _Nothing.NOTHING
"""Not even nil: what a missing key gives. None is a nil that somebody put somewhere."""


class Int64(int):
    """What arithmetic makes."""


class Uint8(int):
    """A byte of a text."""


class StringMap(dict[str, str]):
    """Labels, for instance: a missing key is the empty text, not nil."""


class Strings(list[str]):
    pass


class Ints(list[int]):
    pass


class Maps(list[dict[str, object]]):
    pass


class Lists(list[list[object]]):
    pass


@dataclass(frozen=True, slots=True)
class Moment:
    """A `time.Time`. `datetime` carries microseconds, which is all that templates can show of a clock."""

    at: datetime

    def shown(self) -> str:
        return layouts.written(self.at, "2006-01-02 15:04:05.999999999 -0700 MST")


_TYPES: dict[type, tuple[str, str]] = {
    str: ("string", "string"),
    bool: ("bool", "bool"),
    int: ("int", "int"),
    Int64: ("int64", "int64"),
    Uint8: ("uint8", "uint8"),
    float: ("float64", "float64"),
    dict: ("map[string]interface {}", "map"),
    StringMap: ("map[string]string", "map"),
    list: ("[]interface {}", "slice"),
    Strings: ("[]string", "slice"),
    Ints: ("[]int", "slice"),
    Maps: ("[]map[string]interface {}", "slice"),
    Lists: ("[][]interface {}", "slice"),
    Moment: ("time.Time", "struct"),
}
_named: dict[type, tuple[str, str]] = {}


def name_type(kind: type, go_name: str, go_kind: str) -> None:
    """For types that live elsewhere."""
    _named[kind] = (go_name, go_kind)


def type_of(value: object) -> str:
    if value is None or value is NOTHING:
        return "interface {}"
    return (_TYPES.get(type(value)) or _named[type(value)])[0]


def kind_of(value: object) -> str:
    if value is None or value is NOTHING:
        return "invalid"
    return (_TYPES.get(type(value)) or _named[type(value)])[1]


def truth(value: object) -> bool:
    """Empty and zero are false; a time is true."""
    match value:
        case None | _Nothing.NOTHING:
            return False
        case str() | dict() | list():
            return len(value) > 0
        case bool() | int() | float():
            return bool(value)
    return True


def octets(text: str) -> bytes:
    """Go counts and cuts in bytes. Half a character survives as a surrogate until the rendering is done."""
    return text.encode("utf-8", "surrogateescape")


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def valid(text: str) -> str:
    """With a sign in place of each byte that is part of no character."""
    if text.isascii():
        return text
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def int64(value: int) -> Int64:
    """As it wraps around in 64 bits."""
    return Int64((value + 2**63) % 2**64 - 2**63)


def from_json(value: object, depth: int = 0) -> object:
    """A copy of what JSON or YAML says, with Go's idea of numbers: all of them are floats."""
    budget.spend()
    depth = budget.deeper(depth)
    if isinstance(value, dict):
        return {str(key): from_json(inner, depth) for key, inner in value.items()}
    if isinstance(value, list):
        return [from_json(inner, depth) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def copied(value: object, depth: int = 0) -> object:
    """All the way down, every type as it was."""
    budget.spend()
    depth = budget.deeper(depth)
    if isinstance(value, dict):
        return type(value)({key: copied(inner, depth) for key, inner in value.items()})
    if isinstance(value, list):
        return type(value)([copied(inner, depth) for inner in value])
    return value


def same(left: object, right: object, depth: int = 0) -> bool:
    """`reflect.DeepEqual`: of different types nothing is equal."""
    budget.spend()
    depth = budget.deeper(depth)
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key], depth) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(
            same(one, other, depth) for one, other in zip(left, right, strict=True)
        )
    return left == right
