"""How projects write patterns: globs, where a leading `!` forbids; kinds as a shell writes them; a namespace's as a glob or a regular expression."""

from __future__ import annotations

import re
from functools import lru_cache

from argosy.domain import globs

DENY = "!"
MOST_REPEATS = 3


def fits(pattern: str, text: str, separators: str = "") -> bool:
    """Without regard to a `!`. A star alone fits everything, also across separators."""
    return pattern == "*" or globs.matches(pattern, text, separators)


def fits_or_denies(pattern: str, text: str, separators: str = "") -> bool:
    """A pattern that forbids fits what it does not forbid."""
    if pattern.startswith(DENY):
        return not globs.matches(pattern.removeprefix(DENY), text, separators)
    return fits(pattern, text, separators)


def fits_as_path(pattern: str, text: str) -> bool:
    """As Go's filepath.Match: no braces, and `[^a]` for what is not an a."""
    return globs.matches(_as_glob(pattern), text, "/")


def fits_a_namespace(pattern: str, namespace: str) -> bool:
    if expression := regular_expression(pattern):
        found = _compiled(expression)
        return found is not None and found.search(namespace) is not None
    return fits(pattern, namespace)


def regular_expression(pattern: str) -> str:
    """What stands between slashes; empty: it is a glob."""
    return pattern[1:-1] if len(pattern) > 2 and pattern.startswith("/") and pattern.endswith("/") else ""


@lru_cache(1024)
def _compiled(expression: str) -> re.Pattern[str] | None:
    try:
        return re.compile(expression) if not is_too_slow(expression) else None
    except re.error:
        return None


def is_too_slow(expression: str) -> bool:
    """Repeated groups, references back and many repeats can take for ever on a short text."""
    plain = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", expression)
    repeats = re.findall(r"[*+{]|\?(?![=!:<P])", plain)
    return (
        len(repeats) > MOST_REPEATS
        or bool(re.search(r"\)[*+{]", plain))
        or bool(re.search(r"\\[1-9]|\(\?P=", expression))
    )


@lru_cache(4096)
def _as_glob(pattern: str) -> str:
    return re.sub(r"[{}]", r"\\\g<0>", pattern).replace("[^", "[!").replace("**", "*")
