"""Values in messages as Go prints them: clients and their tests know these texts."""

from __future__ import annotations

import json

_LONG = 1024
"""In bits: Python prints no integer of thousands of digits."""


def shown(value: object) -> str:
    """`%v`"""
    match value:
        case dict():
            return "map[" + " ".join(f"{name}:{shown(value[name])}" for name in sorted(value)) + "]"
        case list():
            return "[" + " ".join(map(shown, value)) + "]"
        case str():
            return value
        case None:
            return "<nil>"
        case float():
            return number(value)
        case int() if value.bit_length() > _LONG:
            return "+Inf"
    return json.dumps(value)


def syntax(value: object) -> str:
    """`%#v`: as in a program."""
    match value:
        case dict():
            inside = ", ".join(f"{quoted(name)}:{syntax(value[name])}" for name in sorted(value))
            return f"map[string]interface {{}}{{{inside}}}"
        case list():
            return "[]interface {}{" + ", ".join(map(syntax, value)) + "}"
        case str():
            return quoted(value)
        case None:
            return "interface {}(nil)"
    return shown(value)


def type_name(value: object) -> str:
    """`%T`"""
    match value:
        case bool():
            return "bool"
        case str():
            return "string"
        case int():
            return "int64"
        case float():
            return "float64"
        case dict():
            return "map[string]interface {}"
        case None:
            return "%!s(<nil>)"
    return "[]interface {}"


def quoted(value: str) -> str:
    """`%q`"""
    return json.dumps(value, ensure_ascii=False)


def number(value: float) -> str:
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return repr(value).replace("e-0", "e-").replace("e+0", "e+")
