"""From an HTTP request to the request Struct of an operation: path, query and body, each checked with a clear error."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar, get_origin

import msgspec

from argosy.kit.errors import BadRequest, Invalid, NotFound, UnsupportedMedia
from argosy.kit.json import decode_strict
from argosy.kit.web.wording import readable

S = TypeVar("S", bound=msgspec.Struct)
_CHARSET = re.compile(r"""charset="?([^\s";]*)""")


def bind_query(kind: type[S], path: Mapping[str, str], query: Sequence[tuple[str, str]]) -> S:
    """For GET and DELETE: all values are text; a field of list type may be repeated, another may not."""
    lists = {field.name for field in msgspec.structs.fields(kind) if _is_list(field.type)}
    values: dict[str, Any] = {}
    for name, text in query:
        if name in path or "\x00" in text:
            raise Invalid(
                f"the query parameter {name[:60]!r} is not acceptable", context={"field": name[:60]}
            )
        if name in lists:
            values.setdefault(name, []).append(text)
        elif name in values:
            raise Invalid(f"the query parameter {name[:60]!r} is given twice", context={"field": name[:60]})
        else:
            values[name] = text
    return _with_path(kind, values, path, strict=False, where="query")


def bind_body(kind: type[S], path: Mapping[str, str], content_type: str, body: bytes) -> S:
    """For writes: a JSON object; what the path says is not said again in the body."""
    value: Any = {}
    if body:
        media, _, said = (part.strip().lower() for part in content_type.partition(";"))
        if (charset := _CHARSET.search(said)) is not None and charset[1] not in ("utf-8", "utf8"):
            raise UnsupportedMedia(f"the charset is {charset[1][:60]!r}", cure="send JSON encoded as UTF-8")
        if media != "application/json" and not media.endswith("+json"):
            raise UnsupportedMedia(
                f"the content type is {media[:60] or 'missing'!r}", cure="send application/json"
            )
        value = decode_strict(body)
    if not isinstance(value, dict):
        raise BadRequest("the body is not a JSON object", code="json.shape", cure="send {…}")
    for name in path:
        if name in value and value[name] != path[name]:
            raise Invalid(f"{name!r} in the body differs from the path", context={"field": name})
    return _with_path(kind, value, path, strict=True, where="body")


def _with_path(
    kind: type[S], value: Mapping[str, Any], path: Mapping[str, str], *, strict: bool, where: str
) -> S:
    """A path that cannot name anything answers like one that names nothing."""
    try:
        return convert(kind, {**value, **path}, strict=strict, where=where)
    except Invalid as error:
        if error.context.get("field") in path:
            raise NotFound("there is nothing under this path", code="not_found") from error
        raise


def convert(kind: type[S], value: Mapping[str, Any], *, strict: bool, where: str) -> S:
    _check_text(value, where)
    try:
        found = msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise readable(str(error), kind, where) from error
    _check_times(found)
    return found


def _check_times(found: msgspec.Struct) -> None:
    """The first and last hours of the calendar are no time at all in UTC, in which all times are compared and kept."""
    for name, value in msgspec.structs.asdict(found).items():
        if isinstance(value, datetime):
            try:
                value.astimezone(UTC)
            except OverflowError as error:
                raise Invalid(
                    f"{name} is outside the years 1 to 9999 in UTC",
                    cure="write it in UTC, as in 2026-11-18T09:30:00Z",
                    context={"field": name},
                ) from error


def _check_text(value: Mapping[str, Any], where: str) -> None:
    """PostgreSQL can store no NUL, and half a character (`\\ud800` alone) cannot even be passed on as UTF-8."""
    text = _text_of(value)
    if "\x00" in text:
        raise Invalid(f"the {where} holds a NUL character", code="invalid.nul")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Invalid(
            f"the {where} holds half a character: an escape from \\ud800 to \\udfff without its other half",
            code="invalid.surrogate",
        ) from error


def _text_of(value: object) -> str:
    """All text inside a JSON value, joined by spaces, which no two halves of a character can bridge."""
    match value:
        case str():
            return value
        case dict():
            return " ".join(f"{_text_of(key)} {_text_of(inner)}" for key, inner in value.items())
        case list():
            return " ".join(_text_of(inner) for inner in value)
        case _:
            return ""


def _is_list(kind: object) -> bool:
    return get_origin(kind) in (list, tuple)
