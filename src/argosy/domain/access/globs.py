"""Wildcards in rule values: `*` is any run of characters, everything else is itself.

Written by hand rather than as a regular expression, because values come from users and must not be able to make
matching slow: the pieces between the stars are searched left to right, once. `predicate` uses it in Python;
`like_pattern` is the same meaning for PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Callable

STAR = "*"
MOST_STARS = 8


def is_glob(value: str) -> bool:
    return STAR in value


def collapse(pattern: str) -> str:
    while "**" in pattern:
        pattern = pattern.replace("**", STAR)
    return pattern


def any_glob_test(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    fits = tuple(glob_test(pattern) for pattern in patterns)
    return fits[0] if len(fits) == 1 else lambda text: any(fit(text) for fit in fits)


def glob_test(pattern: str) -> Callable[[str], bool]:
    first, *rest = pattern.split(STAR)
    if not rest:
        return pattern.__eq__
    *middle, last = rest
    if not middle and not last:
        return lambda text: text.startswith(first)
    if not middle and not first:
        return lambda text: text.endswith(last)
    if not middle:
        least = len(first) + len(last)
        return lambda text: len(text) >= least and text.startswith(first) and text.endswith(last)
    return lambda text: _pieces_in_order(text, first, middle, last)


def _pieces_in_order(text: str, first: str, middle: list[str], last: str) -> bool:
    if not text.startswith(first):
        return False
    position, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, position, max(end, 0))
        if found < 0:
            return False
        position = found + len(piece)
    return position <= end and text.endswith(last)


def like_pattern(pattern: str) -> str:
    escaped = pattern.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return escaped.replace(STAR, "%")
