"""What a validator says of a value, in words for whoever sent it: which field, what it should be, what is allowed.

`binding` calls `readable`. A pattern in a contract carries a `description` ("an e-mail address"); nobody outside ever
reads a regular expression.
"""

from __future__ import annotations

import re
from functools import cache

import msgspec
from msgspec import inspect

from argosy.kit.errors import ArgosyError, Invalid

_WHERE = re.compile(r" - at `(?:\$|key in \$)\.?(?P<path>[^`]*)`")
_MISSING = re.compile(r"missing required field `(?P<field>[^`]+)`")
_UNKNOWN = re.compile(r"contains unknown field `(?P<field>[^`]+)`")
_LENGTH = re.compile(r"Expected `(?P<kind>\w+)` of length (?P<sign>[<>]=) (?P<limit>\d+)")
_RANGE = re.compile(r"Expected `(?:int|float)` (?P<sign>[<>]=?) (?P<limit>\S+)")
_TYPES = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<found>[^`]+)`")
_STEP = re.compile(r"\[(?:\d+|\.\.\.)\]|[^.\[\]]+")
_WORDS = {
    "str": "text", "int": "a whole number", "float": "a number", "bool": "true or false", "array": "a list",
    "object": "an object", "null": "null", "datetime": "a time",
}  # fmt: skip


def readable(text: str, kind: type[msgspec.Struct], where: str) -> ArgosyError:
    at = _WHERE.search(text)
    path = at["path"] if at else ""
    message = _WHERE.sub("", text)
    if missing := _MISSING.search(message):
        path = f"{path}.{missing['field']}".strip(".")
        return Invalid(
            f"{path} is missing", code="invalid.missing", cure=f"add {path}", context={"field": path}
        )
    if unknown := _UNKNOWN.search(message):
        return _unknown(unknown["field"][:60], path, kind, where)
    problem, cure = _problem(message, _type_at(kind, path))
    return Invalid(f"{path or f'the {where}'} {problem}", cure=cure, context={"field": path})


def _unknown(name: str, path: str, kind: type[msgspec.Struct], where: str) -> ArgosyError:
    inner = _type_at(kind, path)
    known = [field.encode_name for field in inner.fields] if isinstance(inner, inspect.StructType) else []
    return Invalid(
        f"{name!r} is not a known name in {path or f'the {where}'}",
        code="invalid.unknown",
        cure=f"known names: {', '.join(known) or 'none'}",
        context={"field": f"{path}.{name}".strip(".")},
    )


def _problem(message: str, kind: inspect.Type | None) -> tuple[str, str]:
    """What is wrong, and what to do."""
    if message.startswith("Expected `str` matching regex"):
        wanted = _described(kind) or "acceptable text"
        return f"is not {wanted}", f"give {wanted}"
    if found := _LENGTH.search(message):
        return _length(found["kind"], found["sign"], int(found["limit"])), ""
    if found := _RANGE.search(message):
        bound = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than"}[found["sign"]]
        return f"must be {bound} {found['limit']}", ""
    if message.startswith("Invalid enum value"):
        return "is not one of the values that are possible here", f"one of: {', '.join(_choices(kind))}"
    if "RFC3339" in message:
        return "is not a time", "write it as 2026-01-31T12:00:00Z"
    if found := _TYPES.search(message):
        wanted = " or ".join(_WORDS.get(part.strip(), part.strip()) for part in found["wanted"].split("|"))
        return f"must be {wanted}, not {_WORDS.get(found['found'], found['found'])}", ""
    return f"is not acceptable: {message[:1].lower()}{message[1:]}", ""


def _length(kind: str, sign: str, limit: int) -> str:
    unit = "characters" if kind == "str" else "items"
    if sign == "<=":
        return f"is longer than {limit} {unit}"
    return "is empty" if limit == 1 else f"is shorter than {limit} {unit}"


def _type_at(kind: type[msgspec.Struct], path: str) -> inspect.Type | None:
    """The type that the contract gives the value at `conditions[0].attribute`."""
    here: inspect.Type | None = _info(kind)
    for step in _STEP.findall(path):
        here = _inside(_plain(here), step)
    return here


@cache
def _info(kind: type[msgspec.Struct]) -> inspect.Type:
    return inspect.type_info(kind)


def _inside(here: inspect.Type | None, step: str) -> inspect.Type | None:
    match here:
        case inspect.StructType():
            return next((field.type for field in here.fields if field.encode_name == step), None)
        case inspect.ListType() | inspect.VarTupleType():
            return here.item_type
        case inspect.DictType():
            return here.value_type
        case _:
            return None


def _plain(here: inspect.Type | None) -> inspect.Type | None:
    """Without its description, and of `X | None` the X."""
    match here:
        case inspect.Metadata():
            return _plain(here.type)
        case inspect.UnionType():
            return _plain(next((one for one in here.types if not isinstance(one, inspect.NoneType)), None))
        case _:
            return here


def _described(kind: inspect.Type | None) -> str:
    if isinstance(kind, inspect.UnionType):
        return next(filter(None, map(_described, kind.types)), "")
    if isinstance(kind, inspect.Metadata):
        return str((kind.extra_json_schema or {}).get("description", ""))
    return ""


def _choices(kind: inspect.Type | None) -> list[str]:
    plain = _plain(kind)
    return (
        [str(value) for value in plain.values if value != ""]
        if isinstance(plain, inspect.LiteralType)
        else []
    )
