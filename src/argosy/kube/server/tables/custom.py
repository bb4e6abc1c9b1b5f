"""Columns of a custom resource, as its definition asks for them: a name, a type, and a JSONPath to the value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from argosy.kube.objects import Object
from argosy.kube.server.registry import Column
from argosy.kube.server.rules.wording import as_json
from argosy.kube.server.tables.ages import UNKNOWN, read, since
from argosy.kube.server.tables.json_path import JsonPath, PathError
from argosy.kube.server.tables.printer import NAME, Cells, Printer, name

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)")

_MOST = 1 << 63


@lru_cache(maxsize=1024)
def printer(columns: Sequence[Column]) -> Printer:
    """A path that cannot be read ends the table: what stands behind it is not shown, as upstream does."""
    found: list[tuple[str, JsonPath]] = []
    shown = [NAME]
    for column in columns:
        try:
            found.append((column.type, JsonPath(column.path)))
        except PathError:
            break
        shown.append(column)

    def cells(obj: Object) -> Cells:
        return [name(obj), *(_cell(kind, path, obj) for kind, path in found)]

    return Printer(tuple(shown), cells)


def _cell(kind: str, path: JsonPath, obj: Object) -> object:
    try:
        values = path.find(obj)
    except PathError:
        return None
    if not values:
        return None
    value = values[0]
    match kind:
        case "string":
            return _text(value)
        case "integer":
            return _whole(value) if _is_number(value) else None
        case "number":
            return float(value) if _is_number(value) else None
        case "boolean":
            return value if isinstance(value, bool) else None
        case "date":
            return _age(value) if isinstance(value, str) else None
        case _:
            return None


def _text(value: Any) -> str:
    match value:
        case str():
            return value
        case None:
            return "<no value>"
        case bool():
            return str(value).lower()
        case float():
            return go_float(value)
        case dict() | list():
            return as_json(value)
        case _:
            return str(value)


def go_float(value: float) -> str:
    """As Go's `%v` prints it: the shortest digits, with an exponent below 1e-4 and from 1e6 on."""
    sign, digits, last = Decimal(repr(value)).normalize().as_tuple()
    power = len(digits) - 1 + int(last)
    if -5 < power < 6:
        return f"{Decimal(repr(value)).normalize():f}"
    head, rest = str(digits[0]), "".join(map(str, digits[1:]))
    mantissa = f"{head}.{rest}" if rest else head
    return f"{'-' if sign else ''}{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _whole(value: float) -> int:
    """As Go turns a float into an integer; what does not fit becomes the least."""
    return int(value) if -_MOST <= value < _MOST else -_MOST


def _age(value: str) -> str:
    if value in {"", "null"}:
        return UNKNOWN
    if not _MOMENT.fullmatch(value):
        return "<invalid>"
    try:
        read(value)
    except ValueError:
        return "<invalid>"
    return since(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
