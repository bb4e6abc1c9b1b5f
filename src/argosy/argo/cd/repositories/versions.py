"""Semantic versions and ranges of them, as Masterminds' library reads both: which tag or chart version a range means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import total_ordering

_VERSION = re.compile(
    r"v?(\d{1,20})(?:\.(\d{1,20}))?(?:\.(\d{1,20}))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
_PART = re.compile(
    r"\s*(=|!=|>=|=>|<=|=<|>|<|~>|~|\^|)\s*"
    r"(v?[0-9xX*]+(?:\.[0-9xX*]+)?(?:\.[0-9xX*]+)?(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)",
    re.ASCII,
)
_HYPHEN = re.compile(r"\s*(\S+)\s+-\s+(\S+)\s*")
_ANY = frozenset("xX*")
_LARGEST = 2**64 - 1


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    numbers: tuple[int, int, int]
    pre: tuple[str, ...] = ()
    text: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._place == other._place

    def __hash__(self) -> int:
        return hash(self._place)

    def __lt__(self, other: Version) -> bool:
        return self._place < other._place

    @property
    def _place(self) -> tuple[tuple[int, int, int], bool, tuple[tuple[bool, int, str], ...]]:
        """A prerelease comes before its release; numbers before words."""
        pre = tuple((not one.isdigit(), int(one) if one.isdigit() else 0, one) for one in self.pre)
        return self.numbers, not self.pre, pre


def parse(text: str) -> Version | None:
    found = _VERSION.fullmatch(text)
    if found is None:
        return None
    numbers = (int(found[1]), int(found[2] or 0), int(found[3] or 0))
    pre = tuple(found[4].split(".")) if found[4] else ()
    if max(numbers) > _LARGEST or any(one.isdigit() and len(one) > 1 and one[0] == "0" for one in pre):
        return None
    return Version(numbers, pre, text)


def is_range(text: str) -> bool:
    """Not one version, but a wish for the newest of several."""
    return parse(text) is None and bool(text.strip()) and _alternatives(text) is not None


def newest(wanted: str, among: Iterable[str]) -> str:
    """Of those in the range the newest, as it is written; empty: none."""
    alternatives = _alternatives(wanted)
    if alternatives is None:
        return ""
    candidates = [version for text in among if (version := parse(text)) is not None]
    fitting = [one for one in candidates if any(_fits(one, parts) for parts in alternatives)]
    return max(fitting).text if fitting else ""


@dataclass(frozen=True, slots=True)
class _Bound:
    operator: str
    version: Version
    known: int
    """How many of the three numbers are given."""


def _alternatives(text: str) -> list[list[_Bound]] | None:
    found: list[list[_Bound]] = []
    for alternative in text.split("||"):
        bounds = _bounds(alternative)
        if bounds is None:
            return None
        found.append(bounds)
    return found


def _bounds(text: str) -> list[_Bound] | None:
    if (hyphen := _HYPHEN.fullmatch(text)) is not None:
        text = f">={hyphen.group(1)} <={hyphen.group(2)}"
    found: list[_Bound] = []
    rest = text.replace(",", " ").strip()
    while rest:
        part = _PART.match(rest)
        if part is None:
            return None
        bound = _bound(part.group(1), part.group(2))
        if bound is None:
            return None
        found.append(bound)
        rest = rest[part.end() :].strip()
    return found or None


def _bound(operator: str, text: str) -> _Bound | None:
    plain, _, pre = text.lstrip("v").partition("+")[0].partition("-")
    numbers = plain.split(".")
    known = next((place for place, one in enumerate(numbers) if one in _ANY), len(numbers))
    if any(not one.isdigit() for one in numbers[:known]):
        return None
    values = [int(one) for one in numbers[:known]] + [0] * (3 - known)
    version = Version((values[0], values[1], values[2]), tuple(pre.split(".")) if pre else (), text)
    return _Bound({"=>": ">=", "=<": "<=", "~>": "~"}.get(operator, operator), version, known)


def _fits(version: Version, bounds: list[_Bound]) -> bool:
    """Prereleases only where the range itself names one."""
    if version.pre and not any(bound.version.pre for bound in bounds):
        return False
    return all(_within(version, bound) for bound in bounds)


def _within(version: Version, bound: _Bound) -> bool:
    """`*` behind an operator is 0.0.0, but where it means anything at all."""
    at, known = bound.version, bound.known
    match bound.operator:
        case ">":
            return version > at if known in {0, 3} else version.numbers >= _after(at, known)
        case ">=":
            return version >= at
        case "<":
            return version < at
        case "<=":
            return version <= at if known == 3 else version.numbers < _after(at, known or 2)
        case "!=":
            return not (version == at if known in {0, 3} else _in(version, at, known))
        case "~":
            return version >= at and _in(version, at, min(known, 2))
        case "^":
            return version >= at and _in(version, at, _leading(at, known or 3))
        case _:
            return version == at if known == 3 else _in(version, at, known)


def _in(version: Version, at: Version, known: int) -> bool:
    return version.numbers[:known] == at.numbers[:known]


def _after(at: Version, known: int) -> tuple[int, int, int]:
    """The first that is beyond everything that begins like this."""
    values = [*at.numbers[: known - 1], at.numbers[known - 1] + 1, 0, 0]
    return (values[0], values[1], values[2])


def _leading(at: Version, known: int) -> int:
    """Up to and with the first number that is not zero: those may not change."""
    return next((place for place, one in enumerate(at.numbers[:known]) if one), known - 1) + 1
