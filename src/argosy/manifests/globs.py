"""Patterns of paths: `*` crosses folders in the include and exclude of a directory, and stays inside one in value files."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=256)
def compiled(pattern: str, *, crosses: bool) -> re.Pattern[str]:
    """`?`, `*`, `**`, `[a-z]`, `[!a]`, `{a,b}`. Raises ValueError for a pattern that does not end."""
    return re.compile(_translated(pattern, crosses) + r"\Z", re.DOTALL)


def _translated(pattern: str, crosses: bool) -> str:
    one = "." if crosses else "[^/]"
    out, at, depth = "", 0, 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            if pattern.startswith("*", at):
                at += 1
                if not crosses and pattern.startswith("/", at):
                    at += 1
                    out += "(?:.*/)?"
                else:
                    out += ".*"
            else:
                out += f"{one}*"
        elif char == "?":
            out += one
        elif char == "[":
            end = pattern.find("]", at + 1)
            if end < 0:
                raise ValueError(f"the pattern {pattern!r} has a [ without ]")
            inner = pattern[at:end]
            negated = inner.startswith(("!", "^"))
            inner = (inner[1:] if negated else inner).replace("\\", "\\\\").replace("[", "\\[")
            out += f"[{'^' if negated else ''}{inner}]"
            at = end + 1
        elif char == "{":
            depth += 1
            out += "(?:"
        elif char == "}" and depth:
            depth -= 1
            out += ")"
        elif char == "," and depth:
            out += "|"
        elif char == "\\" and at < len(pattern):
            out += re.escape(pattern[at])
            at += 1
        else:
            out += re.escape(char)
    if depth:
        raise ValueError(f"the pattern {pattern!r} has a {{ without }}")
    return out


def is_pattern(path: str) -> bool:
    return any(char in path for char in "*?[")
