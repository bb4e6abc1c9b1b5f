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
    "IntOrString": "int32",
}
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)")
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_LAYOUT = (
    *((r"\d{4}", "2006"), ("-", "-"), (r"\d\d", "01"), ("-", "-"), (r"\d\d", "02"), ("T", "T")),
    *((r"\d\d", "15"), (":", ":"), (r"\d\d", "04"), (":", ":"), (r"\d\d", "05")),
)


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
        text = _string(value).replace("\n", "").replace("\r", "")
        return base64.b64encode(base64.b64decode(text, validate=True)).decode()
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"illegal base64 data at input byte {base64_end(str(value))}") from error


def _time(value: object) -> str:
    return _moment(_string(value), "").strftime("%Y-%m-%dT%H:%M:%SZ")


def _micro_time(value: object) -> str:
    return _moment(_string(value), ".000000").strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def base64_end(text: str) -> int:
    """Where Go stops to read, with the line breaks that it leaves out."""
    data = [at for at, one in enumerate(text) if one not in "\r\n"]
    for count, at in enumerate(data):
        if text[at] == "=":
            rest = "".join(text[place] for place in data[count:])
            wanted = {2: "==", 3: "="}.get(count % 4)
            if wanted is None:
                return at
            if rest.startswith(wanted):
                return data[count + len(wanted)]
            return len(text) if rest == "=" else at
        if text[at] not in _BASE64:
            return at
    return len(text) - len(data) % 4


def _moment(text: str, fraction: str) -> datetime:
    """`fraction`: of the layout, for complaints."""
    found = _TIME.fullmatch(text)
    if found is None or (fraction and len(found[2] or "") != len(fraction)):
        raise ValueError(_no_time(text, fraction))
    try:
        return datetime.fromisoformat(
            found[1] + (found[2] or ".0")[:7].ljust(7, "0") + found[3].replace("Z", "+00:00")
        ).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f'parsing time "{text}": {_out_of_range(found[1])} out of range') from None


def _no_time(text: str, fraction: str) -> str:
    told = f'parsing time "{text[:100]}" as "2006-01-02T15:04:05{fraction}Z07:00": '
    rest = text
    for pattern, part in (*_LAYOUT, (r"\.\d{6}" if fraction else r"(?:\.\d+)?", fraction)):
        found = re.match(pattern, rest)
        if found is None:
            return f'{told}cannot parse "{rest[:100]}" as "{part}"'
        rest = rest[found.end() :]
    zone = re.match(r"Z|[+-]\d\d:\d\d", rest)
    if zone is None:
        return f'{told}cannot parse "{rest[:100]}" as "Z07:00"'
    return f'parsing time "{text[:100]}": extra text: "{rest[zone.end() :][:100]}"'


def _out_of_range(text: str) -> str:
    _, month, day, hour, minute, second = (int(one) for one in re.split("[-T:]", text))
    if not 1 <= month <= 12:
        return "month"
    for name, value, most in (("hour", hour, 23), ("minute", minute, 59), ("second", second, 59)):
        if value > most:
            return name
    return "day" if day else "year"


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
