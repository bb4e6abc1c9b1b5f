"""What is wrong with one field, in the API server's words.

Every rule says it with these; `argosy.kube.errors.invalid` makes the answer of them. Clients and people compare the text,
so values are printed as Go prints them: `shown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from argosy.kube.errors import Cause

IMMUTABLE: Final = "field is immutable"
NEGATIVE: Final = "must be greater than or equal to 0"
NOT_POSITIVE: Final = "must be greater than zero"
ENOUGH: Final = 20
"""Mistakes of one kind in one list, after which no more are looked for where each is told with the whole list."""


class Printed(str):
    """A value that is printed already."""

    __slots__ = ()


OMITTED: Final = object()
"""The value of a cause that shows none."""

_ENCODER = msgspec.json.Encoder(order="deterministic")
_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}


def invalid(field: str, value: object, detail: str) -> Cause:
    return Cause("FieldValueInvalid", _with_value("Invalid value", value, detail), field)


def type_invalid(field: str, value: object, detail: str) -> Cause:
    return Cause("FieldValueTypeInvalid", _with_value("Invalid value", value, detail), field)


def required(field: str, detail: str = "") -> Cause:
    return Cause("FieldValueRequired", f"Required value: {detail}" if detail else "Required value", field)


def forbidden(field: str, detail: str) -> Cause:
    return Cause("FieldValueForbidden", f"Forbidden: {detail}" if detail else "Forbidden", field)


def duplicate(field: str, value: object, detail: str = "") -> Cause:
    return Cause("FieldValueDuplicate", _with_value("Duplicate value", value, detail), field)


def not_found(field: str, value: object, detail: str = "") -> Cause:
    return Cause("FieldValueNotFound", _with_value("Not found", value, detail), field)


def not_supported(field: str, value: object, supported: Iterable[str]) -> Cause:
    """`supported` in the order in which it is told."""
    listed = ", ".join(quoted(one) for one in supported)
    detail = f"supported values: {listed}" if listed else ""
    return Cause("FieldValueNotSupported", _with_value("Unsupported value", value, detail), field)


def too_long(field: str, limit: int) -> Cause:
    detail = f"may not be more than {limit} {'byte' if limit == 1 else 'bytes'}"
    return Cause("FieldValueTooLong", f"Too long: {detail}", field)


def too_many(field: str, count: int, limit: int) -> Cause:
    detail = f"must have at most {limit} {'item' if limit == 1 else 'items'}"
    return Cause("FieldValueTooMany", f"Too many: {count}: {detail}", field)


def internal(field: str, detail: str) -> Cause:
    return Cause("InternalError", f"Internal error: {detail}", field)


def each(field: str, value: object, messages: Iterable[str]) -> list[Cause]:
    """One cause for each message of `formats`."""
    return [invalid(field, value, message) for message in messages]


def immutable(field: str, new: object, old: object) -> list[Cause]:
    return [] if new == old else [invalid(field, new, IMMUTABLE)]


def nonnegative(field: str, value: object) -> list[Cause]:
    """Absent is 0."""
    return [invalid(field, value, NEGATIVE)] if isinstance(value, int) and value < 0 else []


def repeats(values: Iterable[str]) -> Iterator[tuple[int, str]]:
    """What stands a second time or more, and where."""
    seen: set[str] = set()
    for index, value in enumerate(values):
        if value in seen:
            yield index, value
        seen.add(value)


def shown(value: object) -> str:
    if isinstance(value, Printed):
        return value
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return as_json(value)


def quoted(text: str) -> str:
    """Like Go's `%q`."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_escaped(one) for one in text) + '"'


def as_json(value: object) -> str:
    """Compact, keys sorted, angle brackets and ampersands escaped."""
    text = _ENCODER.encode(value).decode()
    if "<" in text or ">" in text or "&" in text:
        text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return text


def _escaped(one: str) -> str:
    if one in _ESCAPES:
        return _ESCAPES[one]
    if one.isprintable():
        return one
    code = ord(one)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _with_value(what: str, value: object, detail: str) -> str:
    told = what if value is OMITTED else f"{what}: {shown(value)}"
    return f"{told}: {detail}" if detail else told
