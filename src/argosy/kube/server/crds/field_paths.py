"""Paths of single fields, as selectable fields and rules write them: `.spec.color`, `.spec.parts['a.b']`."""

from __future__ import annotations

import re
from typing import Any

from argosy.kube.objects import Object

_TOKENS = re.compile(r"'(?:\\\\.|[^'])*'|[.\[\]]|[^.\[\]']+|'")


def field_at(path: str, schema: Object, *, keys: bool) -> tuple[Object, str]:
    """The schema there, or what is wrong with the path. `keys`: whether names may stand in brackets."""
    found: Any = schema
    tokens = _TOKENS.findall(path)
    while tokens:
        mark = tokens.pop(0)
        if mark == "[":
            if not keys:
                return {}, "array notation is not allowed"
            name, wrong = _bracketed(tokens)
        elif mark == ".":
            name, wrong = (tokens.pop(0), "") if tokens else ("", "unexpected end of JSON path")
        else:
            return {}, f"expected [ or . but got: {mark}"
        if wrong:
            return {}, wrong
        found = _inside(found, name)
        if not isinstance(found, dict):
            return {}, "does not refer to a valid field"
    return found, ""


def _bracketed(tokens: list[str]) -> tuple[str, str]:
    if not tokens:
        return "", "unexpected end of JSON path"
    name = tokens.pop(0)
    if len(name) < 2 or name[0] != "'" or name[-1] != "'":
        return "", f"expected single quoted string but got {name}"
    if not tokens:
        return "", "unexpected end of JSON path"
    if (end := tokens.pop(0)) != "]":
        return "", f"expected ] but got {end}"
    return name[1:-1].replace("\\'", "'").replace("\\\\", "\\"), ""


def _inside(schema: Object, name: str) -> Any:
    properties = schema.get("properties")
    return properties.get(name) if properties else schema.get("additionalProperties")
