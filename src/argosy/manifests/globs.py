"""Patterns of paths, as the two libraries of upstream read them.

In the include and exclude of a directory `*` crosses folders (gobwas/glob without separators); in value files it stays inside of one, and only `**`
crosses (doublestar).
"""

from __future__ import annotations

import re
from functools import lru_cache

_LITERAL = r"((?:[^*?\[\]{}\\]|\\.)*)"
_AROUND_ONE_STAR = re.compile(rf"{_LITERAL}\*+{_LITERAL}", re.DOTALL)
_RANGE = re.compile(r".-.", re.DOTALL)


@lru_cache(maxsize=256)
def compiled(pattern: str, *, crosses: bool) -> re.Pattern[str]:
    """`?`, `*`, `**`, `[a-z]`, `[!a]`, `{a,b}`. Raises ValueError for a pattern that does not end."""
    if crosses and (parts := _AROUND_ONE_STAR.fullmatch(pattern)) is not None:
        # beginning and end may share characters: `env/*/x` has `env/x`
        before, after = (re.escape(re.sub(r"\\(.)", r"\1", part)) for part in parts.groups())
        return re.compile(rf"(?={before}).*(?<={after})\Z", re.DOTALL)
    return re.compile(_translated(pattern, crosses) + r"\Z", re.DOTALL)


def is_pattern(path: str) -> bool:
    return any(char in path for char in "*?[")


def _translated(pattern: str, crosses: bool) -> str:
    one = "." if crosses else "[^/]"
    out, at, depth = "", 0, 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            stars = at
            while pattern.startswith("*", at):
                at += 1
            whole = (stars == 1 or pattern[stars - 2] == "/") and (at == len(pattern) or pattern[at] == "/")
            if crosses or at == stars or not whole:
                out += f"{one}*"
            elif at < len(pattern):
                at += 1
                out += "(?:.*/)?"
            else:
                out += ".*"
        elif char == "?":
            out += one
        elif char == "[":
            end = pattern.find("]", at)
            out += _characters(pattern, pattern[at:end] if end > 0 else "", crosses)
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


def _characters(pattern: str, inner: str, crosses: bool) -> str:
    negated = inner.startswith("!" if crosses else ("!", "^"))
    inner = inner[1:] if negated else inner
    if not inner:
        raise ValueError(f"the pattern {pattern!r} has a [ without ]")
    if crosses and not _RANGE.fullmatch(inner):
        inner = inner.replace("-", r"\-")  # a list of characters, or one range
    kept = re.sub(r"([\[\]^&~|])", r"\\\1", inner.replace("\\", "\\\\").replace("\\\\-", "\\-"))
    return f"[{'^' if negated else ''}{kept}]"
