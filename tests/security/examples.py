"""The smallest acceptable request for an operation, made from its Struct: what an attacker reads from the OpenAPI."""

from __future__ import annotations

import secrets
from typing import Any

import msgspec
from msgspec import inspect

ABSENT = "f" * 24
# What a value must look like beyond its type, where a random word would not pass.
_KNOWN = {
    "id": ABSENT,
    "entity": "applications",
    "audience": "identity",
    "expression": "0 4 * * *",
    "time_zone": "UTC",
    "consumer": "nobody",
    # Refused for its weakness before anything is tried: the caller got past the door, and nothing changes.
    "new": "passwordpassword",
}


def example(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Only the required fields."""
    shape = inspect.type_info(kind)
    assert isinstance(shape, inspect.StructType)
    return {field.encode_name: _value(field.name, field.type) for field in shape.fields if field.required}


def _value(name: str, kind: inspect.Type) -> Any:
    match kind:
        case inspect.Metadata(type=plain):
            return _value(name, plain)
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.ListType(item_type=item):
            return [_value(name, item)]
        case inspect.StrType(pattern=pattern) if pattern and "{24}" in pattern:
            return ABSENT
        case inspect.StrType(pattern=pattern) if pattern and "@" in pattern:
            return f"nobody-{secrets.token_hex(6)}@example.com"
        case inspect.StrType():
            return _KNOWN.get(name, f"example-{secrets.token_hex(6)}")
        case inspect.DateTimeType():
            return "2026-01-31T12:00:00Z"
        case inspect.RawType():
            return None
        case inspect.BoolType():
            return False
        case inspect.IntType(ge=least):
            return least or 1
        case inspect.StructType(cls=inner):
            return example(inner)
        case inspect.UnionType(types=types):
            return _value(name, types[0])
        case _:
            raise TypeError(f"no example for {name}: {kind}")
