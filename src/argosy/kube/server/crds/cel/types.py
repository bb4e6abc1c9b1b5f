"""The values of a custom object as expressions see them, and of which type each is.

A schema decides: texts of some formats are bytes, times or durations, a field that no schema describes is not there at all. The
library knows no objects with fields, only maps; `reading` finds what it therefore cannot.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, Final

from argosy.kube.objects import Object
from argosy.kube.server.crds.cel.names import escaped

_TEXT: Object = {"type": "string"}
_IDENTITY: Object = {
    "kind": _TEXT,
    "apiVersion": _TEXT,
    "metadata": {"type": "object", "properties": {"name": _TEXT, "generateName": _TEXT}},
}
_SCALARS = {"boolean": "bool", "integer": "int", "number": "double"}
_FORMATS = {"byte": "bytes", "duration": "duration", "date": "timestamp", "date-time": "timestamp"}
_MOMENTS: Final = frozenset({"duration", "timestamp"})
_HIDDEN: Final = object()
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_UNIT = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h|d|w)")


def fields_of(schema: Object) -> Object | None:
    """By name; None for what is no object with fields. Of a whole object, what every such object has."""
    if schema.get("type") != "object" or isinstance(schema.get("additionalProperties"), dict):
        return None
    fields: Object = schema.get("properties") or {}
    return {**fields, **_IDENTITY} if schema.get("x-kubernetes-embedded-resource") else fields


def as_root(schema: Object) -> Object:
    return {**schema, "x-kubernetes-embedded-resource": True}


def type_of(schema: Any) -> str:
    """In the words of the language, with `object` for what has fields; nothing for what expressions do not see."""
    if not isinstance(schema, dict):
        return ""
    if schema.get("x-kubernetes-int-or-string"):
        return "dyn"
    match kind := schema.get("type"):
        case "array":
            inner = type_of(schema.get("items"))
            return f"list<{inner}>" if inner else ""
        case "object":
            rest = schema.get("additionalProperties")
            if not isinstance(rest, dict):
                return "object"
            inner = type_of(rest)
            return f"map<string, {inner}>" if inner else ""
        case "string":
            return _FORMATS.get(schema.get("format", ""), "string")
    return _SCALARS.get(str(kind), "")


def is_moment(schema: Any) -> bool:
    return type_of(schema) in _MOMENTS


def seen(value: Any, schema: Any) -> Any:
    """The value as an expression gets it. What it may not see is left out, `None` when that is all of it."""
    found = _seen(value, schema, _moment)
    return None if found is _HIDDEN else found


def _seen(value: Any, schema: Any, moment: Callable[[str, str], Any]) -> Any:
    if not (kind := type_of(schema)):
        return _HIDDEN
    if value is None:
        return None
    if type(value) is list and kind.startswith("list"):
        items = schema["items"]
        return [_seen(one, items, moment) for one in value]
    if type(value) is dict and kind.startswith("map"):
        rest = schema["additionalProperties"]
        return {name: _seen(one, rest, moment) for name, one in value.items()}
    if type(value) is dict and kind == "object":
        return _object(value, fields_of(schema) or {})
    return _scalar(value, kind, str(schema.get("format", "")), moment)


def _object(value: Object, fields: Object) -> Object:
    """Inside an object the library takes no times, only texts; `reading` knows which rules would need them."""
    made: Object = {}
    for name, inner in value.items():
        if (schema := fields.get(name)) is not None and (known := escaped(name)) is not None:
            found = _seen(inner, schema, _as_text)
            if found is not _HIDDEN:
                made[known] = found
    return made


def _scalar(value: Any, kind: str, form: str, moment: Callable[[str, str], Any]) -> Any:
    if kind == "double" and type(value) is int:
        return float(value)
    if kind == "int" and type(value) is float:
        return int(value)
    if type(value) is str and kind == "bytes":
        try:
            return base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            return value
    if type(value) is str and kind in _MOMENTS:
        return moment(value, form)
    return value


def _as_text(value: str, form: str) -> str:
    return value


def _moment(value: str, form: str) -> datetime | timedelta | str:
    """As text when it is none: then the schema has refused it already."""
    try:
        if form == "duration":
            return _duration(value)
        found = datetime.fromisoformat(value)
    except (ValueError, OverflowError):
        return value
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _duration(value: str) -> timedelta:
    rest = value.lstrip("+-").replace(" ", "")
    parts = _UNIT.findall(rest)
    if not parts or "".join(number + unit for number, unit in parts) != rest:
        raise ValueError(value)
    long = {**_UNITS, "d": 24 * 3600 * 10**9, "w": 7 * 24 * 3600 * 10**9}
    nano = sum((Fraction(number) * long[unit] for number, unit in parts), Fraction())
    return timedelta(microseconds=float(nano / 1000) * (-1 if value.startswith("-") else 1))
