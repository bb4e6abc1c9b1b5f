"""Bytes of a request as JSON values: JSON, or YAML where a patch may be written in it.

Three things a lenient reader would hide are found here: text that is not UTF-8, nesting without end, and a field that stands
twice, which strict field validation must name with its path.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from argosy.kube.errors import ApiError, bad_request, too_large
from argosy.kube.server.decoding import go_json, go_yaml

MOST_BYTES = 3 * 1024 * 1024
_DEEPEST = 500
"""Upstream stops at 10,000, with a stack that grows. Nobody writes such a thing but to see what happens."""


class Pairs(list[tuple[str, Any]]):
    """An object with a field that stands twice, until `duplicates` has named it."""


def json_value(
    body: bytes, *, find_duplicates: bool = False, what: str = "json parse error"
) -> tuple[Any, list[str]]:
    """The value, and the paths of fields that stand twice. Of two values the last counts. `what` begins a complaint."""
    _check_size(body)
    try:
        return _read(body, find_duplicates=find_duplicates)
    except UnicodeError as error:
        told = str(error)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        told = str(error)
        if "UTF-8" not in told:
            raise _unreadable(body, what, told) from error
    try:
        # As Go reads text that is none.
        return _read(body.decode(errors="replace").encode(), find_duplicates=find_duplicates)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise _unreadable(body, what, str(error)) from error


def _unreadable(body: bytes, what: str, otherwise: str) -> ApiError:
    told = go_json.complaint(body, deepest=_DEEPEST) or otherwise
    return bad_request(f"{what}: {told}" if what else told)


def _read(body: bytes, *, find_duplicates: bool) -> tuple[Any, list[str]]:
    if b"\\ud" in body.lower():
        value, repeated = _with_duplicates(body)
        return _mended(value), repeated
    return _with_duplicates(body) if find_duplicates else (msgspec.json.decode(body), [])


def yaml_value(body: bytes) -> tuple[Any, list[str]]:
    """The value, and complaints about keys that stand twice."""
    _check_size(body)
    if (value := _as_json(body)) is not None:
        return value, []
    try:
        return go_yaml.value(body)
    except go_yaml.Garbled as error:
        raise bad_request(str(error)) from error


def _as_json(body: bytes) -> Any:
    """Every JSON text is YAML, and most of what programs apply is; it is read much faster. None: YAML has to be asked."""
    if not body.startswith(b"{"):
        return None
    try:
        value, repeated = _read(body, find_duplicates=True)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    return None if repeated else value


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


def _mended(value: Any) -> Any:
    """Half a surrogate pair is no character. Go reads U+FFFD for it, and so do we."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {_mended(name): _mended(inner) for name, inner in value.items()}
        case list():
            return [_mended(inner) for inner in value]
        case _:
            return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"invalid character {name[0]!r} looking for beginning of value")


def _check_size(body: bytes) -> None:
    if len(body) > MOST_BYTES:
        raise too_large(f"Request entity too large: limit is {MOST_BYTES}")


def _too_deep() -> ApiError:
    return bad_request(f"exceeded max depth of {_DEEPEST}")
