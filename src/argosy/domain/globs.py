"""Globs as Argo CD writes them in projects, settings and rules: `*`, `**`, `?`, `[abc]`, `[!a-z]`, `{one,two}`, `\\` before any of these.

Without separators `*` stands for anything; with them it stays between two, and `**` goes across. Patterns come from users, so none may take long:
braces are written out, each piece between two stars is searched for once, and a pattern with both kinds of stars walks the text once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

MOST_ALTERNATIVES = 256
LONGEST = 4096

Fits: TypeAlias = Callable[[str], object]


class BadGlob(ValueError):
    """What is wrong with the pattern."""


def matches(pattern: str, text: str, separators: str = "") -> bool:
    """A pattern that cannot be read matches nothing."""
    try:
        return any(fits(text) for fits in compiled(pattern, separators))
    except BadGlob:
        return False


@lru_cache(4096)
def compiled(pattern: str, separators: str = "") -> tuple[Fits, ...]:
    """Raises `BadGlob`."""
    if len(pattern) > LONGEST:
        raise BadGlob(f"the pattern is longer than {LONGEST} characters")
    return tuple(_fits(one, separators) for one in _alternatives(pattern))


def _alternatives(pattern: str) -> list[str]:
    """The pattern once for each choice of its braces."""
    done: list[str] = []
    open_ = [pattern]
    while open_:
        if len(done) + len(open_) > MOST_ALTERNATIVES:
            raise BadGlob(f"the braces stand for more than {MOST_ALTERNATIVES} patterns")
        one = open_.pop(0)
        braces = _braces(one)
        if braces is None:
            done.append(one)
        else:
            start, end, choices = braces
            open_ += [one[:start] + choice + one[end:] for choice in choices]
    return done


def _braces(pattern: str) -> tuple[int, int, list[str]] | None:
    """The first outermost braces: where they stand, and their choices."""
    start, depth, cuts = -1, 0, []
    for at, letter in _letters(pattern):
        if letter == "{":
            depth += 1
            start = at if depth == 1 else start
        elif letter == "," and depth == 1:
            cuts.append(at)
        elif letter == "}" and depth:
            depth -= 1
            if not depth:
                edges = [start, *cuts, at]
                return start, at + 1, [pattern[a + 1 : b] for a, b in pairwise(edges)]
    if depth:
        raise BadGlob(f"the brace at {start + 1} is not closed")
    return None


def _letters(pattern: str) -> Iterator[tuple[int, str]]:
    """The letters that may mean something: not the ones after a backslash or within brackets."""
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        if letter == "[":
            at = _closing(pattern, at)
        elif letter == "\\":
            at += 1
        else:
            yield at, letter
        at += 1


def _closing(pattern: str, at: int) -> int:
    inside = at + 2 if pattern[at + 1 : at + 2] == "!" else at + 1
    while inside < len(pattern) and pattern[inside] != "]":
        inside += 2 if pattern[inside] == "\\" else 1
    if inside >= len(pattern):
        raise BadGlob(f"the bracket at {at + 1} is not closed")
    return inside


def _fits(pattern: str, separators: str) -> Fits:
    one = f"[^{re.escape(separators)}]" if separators else "."
    letters, stars = _tokens(pattern, separators, one)
    if len({star for star in stars if star}) > 1:
        return _walk(letters, stars)
    return re.compile(_searching(letters, stars), re.DOTALL).fullmatch


def _tokens(pattern: str, separators: str, one: str) -> tuple[list[str], list[str]]:
    """An expression for each letter, and before each letter and the end what a star there stands for."""
    letters: list[str] = []
    stars = [""]
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        if letter == "*":
            across = pattern.startswith("**", at) or not separators
            stars[-1] = "." if across or stars[-1] == "." else one
            at += 2 if pattern.startswith("**", at) else 1
            continue
        if letter == "?":
            letters.append(one)
        elif letter == "[":
            end = _closing(pattern, at)
            letters.append(_bracket(pattern[at + 1 : end]))
            at = end
        else:
            at += letter == "\\"
            letters.append(re.escape(pattern[at : at + 1]))
        stars.append("")
        at += 1
    return letters, stars


def _searching(letters: list[str], stars: list[str]) -> str:
    """Where every star stands for the same letters, the first place that fits a piece is the best one, and never has to be given up."""
    starred = [at for at, star in enumerate(stars) if star]
    if not starred:
        return "".join(letters)
    edges = [*starred, len(letters)]
    pieces = ["".join(letters[a:b]) for a, b in pairwise(edges)]
    star = stars[starred[0]]
    return (
        "".join(letters[: starred[0]])
        + "".join(f"(?>{star}*?{piece})" for piece in pieces[:-1])
        + f"{star}*{pieces[-1]}"
    )


def _walk(letters: list[str], stars: list[str]) -> Fits:
    """All places of the pattern at which a beginning of the text can end, as the bits of a number."""
    tests = [re.compile(letter, re.DOTALL) for letter in letters]
    stays = [re.compile(star, re.DOTALL) if star else None for star in stars]

    @lru_cache(1024)
    def masks(letter: str) -> tuple[int, int]:
        steps = sum(1 << at for at, test in enumerate(tests) if test.fullmatch(letter))
        return steps, sum(1 << at for at, stay in enumerate(stays) if stay and stay.fullmatch(letter))

    def fits(text: str) -> bool:
        places = 1
        for letter in text:
            steps, stay = masks(letter)
            places = (places & steps) << 1 | (places & stay)
        return bool(places >> len(tests) & 1)

    return fits


def _bracket(inside: str) -> str:
    negated = inside.startswith("!")
    inside = inside[1:] if negated else inside
    if not inside:
        raise BadGlob("empty brackets")
    escaped = re.sub(
        r"\\?(.)", lambda found: re.escape(found[1]) if found[1] != "-" or found[0] != "-" else "-", inside
    )
    try:
        re.compile(f"[{escaped}]")
    except re.error as error:
        raise BadGlob(f"[{inside}] is no set of letters") from error
    return f"[{'^' if negated else ''}{escaped}]"
