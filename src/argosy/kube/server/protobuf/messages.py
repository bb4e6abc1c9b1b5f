"""A message as the JSON object that Go would have written, by the numbers that the type table has for each field."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, TypeAlias

import msgspec

from argosy.kube.objects import Object
from argosy.kube.server.protobuf.wire_format import Garbled, fields, signed, varint
from argosy.kube.types import Field, pinned

Value: TypeAlias = int | bytes
_Slots: TypeAlias = "dict[int, Field | _Slots]"
"""By number: a field, or the fields of a message that JSON flattens into its holder."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ZERO_TIME = -62_135_596_800
_SCHEMA = "apiextensions.v1.JSONSchemaProps"


def message(data: bytes, name: str) -> Object:
    made: Object = {}
    _fill(made, data, _slots(name))
    return made


def _fill(made: Object, data: bytes, slots: _Slots) -> None:
    for number, value in fields(data):
        match slots.get(number):
            case dict() as inner:
                _fill(made, _bytes(value), inner)
            case Field() as field:
                _take(made, field, value)
            case None:
                pass  # a field newer than our table: typed clients of other versions send such


def _take(made: Object, field: Field, value: Value) -> None:
    match field.type[:2]:
        case "[]":
            made.setdefault(field.name, []).extend(_items(field.item, value))
        case "{}":
            key, inner = _entry(field.item, _bytes(value))
            made.setdefault(field.name, {})[key] = inner
        case _:
            made[field.name] = _value(field.type, value)


def _items(kind: str, value: Value) -> list[Any]:
    if kind in {"int32", "int64", "bool"} and isinstance(value, bytes):  # packed
        found, at = [], 0
        while at < len(value):
            number, at = varint(value, at)
            found.append(_value(kind, number))
        return found
    return [_value(kind, value)]


def _entry(kind: str, data: bytes) -> tuple[str, Any]:
    parts = dict(fields(data))
    key = _bytes(parts.get(1, b"")).decode()
    if kind.startswith("[]"):  # a map of lists wraps each list into a message
        return key, [_value(kind[2:], value) for _, value in fields(_bytes(parts.get(2, b"")))]
    return key, _value(kind, parts.get(2, b"" if kind not in {"int32", "int64", "bool"} else 0))


def _value(kind: str, value: Value) -> Any:
    read = _READ.get(kind)
    return read(value) if read is not None else message(_bytes(value), kind)


@cache
def _slots(name: str) -> _Slots:
    described = pinned().type(name)
    if described is None:
        raise Garbled(f"nothing is known of {name}")
    made: _Slots = {}
    for field in described.fields.values():
        holder = made
        for outer in field.numbers[:-1]:
            inner = holder.setdefault(outer, {})
            if not isinstance(inner, dict):
                raise Garbled(f"{name}.{field.name} has the number of another field")
            holder = inner
        if field.numbers:
            holder[field.numbers[-1]] = field
    return made


def _bytes(value: Value) -> bytes:
    if isinstance(value, int):
        raise Garbled("a number where bytes should be")
    return value


def _integer(value: Value) -> int:
    if isinstance(value, bytes):
        raise Garbled("bytes where a number should be")
    return signed(value)


def _float(value: Value) -> float:
    packed = _bytes(value)
    if len(packed) != 8:
        raise Garbled("a float has eight bytes")
    found: float = struct.unpack("<d", packed)[0]
    return found


def _only(value: Value, number: int = 1) -> Value:
    return dict(fields(_bytes(value))).get(number, b"")


def _json(value: Value) -> Any:
    raw = _bytes(_only(value))
    try:
        return msgspec.json.decode(raw) if raw else None
    except msgspec.MsgspecError as error:
        raise Garbled(f"JSON inside cannot be read: {error}") from error


def _int_or_string(value: Value) -> int | str:
    parts = dict(fields(_bytes(value)))
    return _bytes(parts.get(3, b"")).decode() if parts.get(1) else _integer(parts.get(2, 0))


def _time(value: Value) -> str | None:
    moment = _moment(value)
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _micro_time(value: Value) -> str | None:
    moment = _moment(value)
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _moment(value: Value) -> datetime | None:
    parts = dict(fields(_bytes(value)))
    seconds = _integer(parts.get(1, 0))
    if not parts or seconds == _ZERO_TIME:
        return None
    try:
        return _EPOCH + timedelta(seconds=seconds, microseconds=_integer(parts.get(2, 0)) // 1000)
    except OverflowError as error:
        raise Garbled("a time beyond all years") from error


def _schema_or_array(value: Value) -> Any:
    parts = list(fields(_bytes(value)))
    alone = next((inner for number, inner in parts if number == 1), None)
    if alone is not None:
        return message(_bytes(alone), _SCHEMA)
    return [message(_bytes(inner), _SCHEMA) for number, inner in parts if number == 2]


def _schema_or_bool(value: Value) -> Any:
    parts = dict(fields(_bytes(value)))
    return message(_bytes(parts[2]), _SCHEMA) if 2 in parts else bool(parts.get(1, 0))


def _schema_or_strings(value: Value) -> Any:
    parts = list(fields(_bytes(value)))
    alone = next((inner for number, inner in parts if number == 1), None)
    if alone is not None:
        return message(_bytes(alone), _SCHEMA)
    return [_bytes(inner).decode() for number, inner in parts if number == 2]


_READ: dict[str, Callable[[Value], Any]] = {
    "string": lambda value: _bytes(value).decode(),
    "bool": lambda value: bool(_integer(value)),
    "int32": _integer,
    "int64": _integer,
    "float64": _float,
    "bytes": lambda value: base64.b64encode(_bytes(value)).decode(),
    "Time": _time,
    "MicroTime": _micro_time,
    "Quantity": lambda value: _bytes(_only(value)).decode(),
    "IntOrString": _int_or_string,
    "FieldsV1": _json,
    "JSON": _json,
    "RawExtension": _json,
    "JSONSchemaPropsOrArray": _schema_or_array,
    "JSONSchemaPropsOrBool": _schema_or_bool,
    "JSONSchemaPropsOrStringArray": _schema_or_strings,
}
