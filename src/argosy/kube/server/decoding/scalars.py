"""How each scalar is read, as Go would: the right JSON type, in range, in canonical form."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from argosy.kube import quantities

ZERO: dict[str, Any] = {
    "string": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "float64": 0,
    "bytes": None,
    "Time": None,
    "MicroTime": None,
    "Quantity": "0",
    "IntOrString": 0,
}
GO = {
    "bytes": "[]uint8",
    "Time": "string",
    "MicroTime": "string",
    "Quantity": "string",
    "IntOrString": "string",
}
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)")


class WrongType(Exception):
    """`typed` tells where."""


def _string(value: object) -> str:
    if type(value) is not str:
        raise WrongType
    return value


def _bool(value: object) -> bool:
    if type(value) is not bool:
        raise WrongType
    return value


def _integer(bits: int) -> Callable[[object], int]:
    most = 1 << (bits - 1)

    def read(value: object) -> int:
        if type(value) is not int or not -most <= value < most:
            raise WrongType
        return value

    return read


def _float(value: object) -> float:
    if type(value) not in {int, float}:
        raise WrongType
    return value  # type: ignore[return-value] # the line above


def _bytes(value: object) -> str:
    try:
        return base64.b64encode(base64.b64decode(_string(value), validate=True)).decode()
    except (binascii.Error, ValueError) as error:
        raise ValueError("illegal base64 data at input byte 0") from error


def _time(value: object) -> str:
    return _moment(_string(value)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _micro_time(value: object) -> str:
    return _moment(_string(value)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _moment(text: str) -> datetime:
    found = _TIME.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        fraction = (found[2] or ".0")[:7]
        return datetime.fromisoformat(
            found[1] + fraction.ljust(7, "0") + found[3].replace("Z", "+00:00")
        ).astimezone(UTC)
    except (ValueError, OverflowError):
        form = '"2006-01-02T15:04:05Z07:00"'
        raise ValueError(
            f'parsing time "{text[:100]}" as {form}: cannot parse "{text[:100]}" as "2006"'
        ) from None


def _quantity(value: object) -> str:
    if type(value) is int or type(value) is float:
        value = str(value)
    return quantities.canonical(_string(value).strip())


def _int_or_string(value: object) -> int | str:
    return value if type(value) is str else _integer(32)(value)


READ: dict[str, Callable[[object], Any]] = {
    "string": _string,
    "bool": _bool,
    "int32": _integer(32),
    "int64": _integer(64),
    "float64": _float,
    "bytes": _bytes,
    "Time": _time,
    "MicroTime": _micro_time,
    "Quantity": _quantity,
    "IntOrString": _int_or_string,
}
