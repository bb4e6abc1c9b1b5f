"""JSON from outside, read strictly: bounded in size and depth, valid UTF-8, no duplicate keys, no NaN.

msgspec alone is faster but keeps the last of two equal keys and says nothing; a boundary must not guess.
Bodies between our own parts skip this and go straight through msgspec.
"""

from __future__ import annotations

import json
from typing import Any

from argosy.kit.errors import BadRequest

MAX_DEPTH = 64


def decode_strict(data: bytes, *, what: str = "body") -> Any:  # JSON values have no narrower type
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRequest(
            f"the {what} is not UTF-8: byte {error.start} is invalid",
            code="json.encoding",
            cure="send JSON encoded as UTF-8",
        ) from error
    try:
        value = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BadRequest(
            f"the {what} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}",
            code="json.syntax",
            cure="mend it there; names and text stand in double quotes, and no comma before a closing bracket",
        ) from error
    except RecursionError as error:
        raise _too_deep(what) from error
    except ValueError as error:  # an integer of thousands of digits
        raise BadRequest(f"the {what} is not acceptable JSON: {error}", code="json.value") from error
    _check_depth(value, what)
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise BadRequest(
                    f"the key {key[:60]!r} stands twice in one object",
                    code="json.duplicate_key",
                    cure="leave one of them out",
                )
            seen.add(key)
    return found


def _no_constant(name: str) -> Any:
    raise BadRequest(f"{name} is not JSON", code="json.syntax", cure="use null or a number")


def _check_depth(value: Any, what: str) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return
    raise _too_deep(what)


def _too_deep(what: str) -> BadRequest:
    return BadRequest(f"the {what} is nested deeper than {MAX_DEPTH} levels", code="json.depth")
