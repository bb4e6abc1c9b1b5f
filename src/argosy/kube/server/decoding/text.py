"""Bytes of a request as JSON values: JSON, or YAML where a patch may be written in it.

Three things a lenient reader would hide are found here: text that is not UTF-8, nesting without end, and a field that stands
twice, which strict field validation must name with its path.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from argosy.kit import yaml
from argosy.kit.errors import ArgosyError
from argosy.kube.errors import ApiError, bad_request, too_large

MOST_BYTES = 3 * 1024 * 1024
_DEEPEST = 500
"""Upstream stops at 10,000, with a stack that grows. Nobody writes such a thing but to see what happens."""


class Pairs(list[tuple[str, Any]]):
    """An object with a field that stands twice, until `duplicates` has named it."""


def json_value(body: bytes, *, find_duplicates: bool = False) -> tuple[Any, list[str]]:
    """The value, and the paths of fields that stand twice. Of two values the last counts."""
    _check_size(body)
    try:
        if not find_duplicates:
            return msgspec.json.decode(body), []
        return _with_duplicates(body)
    except (msgspec.DecodeError, json.JSONDecodeError, UnicodeDecodeError, ValueError) as error:
        raise bad_request(f"invalid JSON: {error}") from error
    except RecursionError as error:
        raise _too_deep() from error


def yaml_value(body: bytes) -> Any:
    _check_size(body)
    try:
        return yaml.load(body, what="body")
    except ArgosyError as error:
        raise bad_request(f"error decoding YAML: {error.message}") from error


def check_depth(value: object) -> None:
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise _too_deep()


def _with_duplicates(body: bytes) -> tuple[Any, list[str]]:
    seen = False

    def pairs(found: list[tuple[str, Any]]) -> Any:
        nonlocal seen
        made = dict(found)
        if len(made) == len(found):
            return made
        seen = True
        return Pairs(found)

    value = json.loads(body.decode(), object_pairs_hook=pairs, parse_constant=_no_constant)
    if not seen:
        return value, []
    paths: list[str] = []
    return _plain(value, "", paths), paths


def _plain(value: Any, path: str, paths: list[str]) -> Any:
    match value:
        case Pairs():
            made: dict[str, Any] = {}
            for name, inner in value:
                where = f"{path}.{name}" if path else name
                if name in made:
                    paths.append(where)
                made[name] = _plain(inner, where, paths)
            return made
        case dict():
            return {
                name: _plain(inner, f"{path}.{name}" if path else name, paths)
                for name, inner in value.items()
            }
        case list():
            return [_plain(inner, f"{path}[{at}]", paths) for at, inner in enumerate(value)]
        case _:
            return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"invalid character {name[0]!r} looking for beginning of value")


def _check_size(body: bytes) -> None:
    if len(body) > MOST_BYTES:
        raise too_large(f"Request entity too large: limit is {MOST_BYTES}")


def _too_deep() -> ApiError:
    return bad_request(f"exceeded max depth of {_DEEPEST}")
