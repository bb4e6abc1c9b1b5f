"""Semantic versions and the ranges that they may have to be in, as upstream's library reads them (`^1.2`, `~2`, `1.x || >=3`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import total_ordering

from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.values import int64, name_type

_PRE = r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
_META = r"(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
_VERSION = re.compile(rf"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?{_PRE}{_META}", re.ASCII)
_PART = r"[0-9|xX*]+"
_LOOSE = rf"v?({_PART})(?:\.({_PART}))?(?:\.({_PART}))?{_PRE}{_META}"
_OPERATORS = r"=>|>=|=<|<=|!=|~>|=|>|<|~|\^|"
_ONE = re.compile(rf"\s*({_OPERATORS})\s*({_LOOSE})")
_RANGE = re.compile(rf"\s*({_LOOSE})\s+-\s+({_LOOSE})\s*")
_LONGEST = 512


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Version:
    major: int
    minor: int
    patch: int
    pre: str = ""
    metadata: str = ""
    original: str = ""

    def shown(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        return text + (f"-{self.pre}" if self.pre else "") + (f"+{self.metadata}" if self.metadata else "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._order() == other._order()

    def __lt__(self, other: Version) -> bool:
        return self._order() < other._order()

    def __hash__(self) -> int:
        return hash(self._order())

    def _order(self) -> tuple[int, int, int, bool, tuple[tuple[int, int, str], ...]]:
        """A version before its release comes before it; of its parts numbers come before words."""
        parts = tuple(
            (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in self.pre.split(".")
        )
        return self.major, self.minor, self.patch, not self.pre, parts if self.pre else ()


name_type(Version, "*semver.Version", "ptr")


def parse(text: str) -> Version:
    found = _VERSION.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        raise FunctionError("invalid semantic version")
    major, minor, patch, pre, metadata = found.groups(default="")
    if any(part.isdecimal() and len(part) > 1 and part[0] == "0" for part in pre.split(".")):
        raise FunctionError("version segment starts with 0")
    numbers = (int(major), int(minor or 0), int(patch or 0))
    if max(numbers) >= 2**64:
        raise FunctionError("error parsing version segment: value out of range")
    return Version(*numbers, pre=pre, metadata=metadata, original=text)


@dataclass(frozen=True, slots=True)
class _Bound:
    """`open_from`: how many numbers are said; 3 when all are."""

    operator: str
    version: Version
    open_from: int

    def holds(self, one: Version) -> bool:
        bound, said = self.version, self.open_from
        match self.operator:
            case "" | "=":
                return self._near(one) if said < 3 else one == bound
            case "!=":
                return self._differs(one)
            case ">":
                return self._above(one)
            case "<":
                return one < bound
            case ">=" | "=>":
                return one >= bound
            case "<=" | "=<":
                return self._not_above(one)
            case "~" | "~>":
                return self._near(one)
        return self._compatible(one)

    def _differs(self, one: Version) -> bool:
        bound, said = self.version, self.open_from
        if said in {0, 3}:
            return one != bound
        if one.major != bound.major or said == 1:
            return one.major != bound.major
        return one.minor != bound.minor or one.pre != bound.pre

    def _above(self, one: Version) -> bool:
        """`>11` is only met by 12."""
        bound, said = self.version, self.open_from
        if said == 3 or (said == 0 and one.major == bound.major):
            return one > bound
        if one.major != bound.major:
            return one.major > bound.major
        return said == 2 and one.minor > bound.minor

    def _not_above(self, one: Version) -> bool:
        bound, said = self.version, self.open_from
        if said == 3:
            return one <= bound
        if one.major != bound.major:
            return one.major < bound.major
        return said == 1 or one.minor <= bound.minor

    def _near(self, one: Version) -> bool:
        bound, said = self.version, self.open_from
        if one < bound:
            return False
        if (bound.major, bound.minor, bound.patch) == (0, 0, 0) and said in {0, 3}:
            return True
        return one.major == bound.major and (said == 1 or one.minor == bound.minor)

    def _compatible(self, one: Version) -> bool:
        bound, said = self.version, self.open_from
        if one < bound:
            return False
        if bound.major > 0 or said == 1:
            return one.major == bound.major
        if one.major > 0:
            return False
        if bound.minor > 0 or said == 2:
            return one.minor == bound.minor
        return one.minor == 0 and one.patch == bound.patch


def semver_compare(constraint: str, version: str) -> bool:
    alternatives = _constraint(constraint)
    one = parse(version)
    return any(
        all(bound.holds(one) and (not one.pre or with_pre) for bound in bounds)
        for bounds in alternatives
        for with_pre in [any(bound.version.pre for bound in bounds)]
    )


def _constraint(text: str) -> list[list[_Bound]]:
    if len(text) > _LONGEST:
        raise FunctionError("improper constraint: it is too long")
    text = _RANGE.sub(lambda found: f">= {found[1]}, <= {found[7]} ", text)
    return [_bounds(part) for part in text.split("||")]


def _bounds(text: str) -> list[_Bound]:
    found: list[_Bound] = []
    at = 0
    while text[at:].strip():
        match = _ONE.match(text, at)
        between = text[at : match.start(1)] if match else ""
        if match is None or (found and not between and text[at - 1 : at] not in {",", " "}):
            raise FunctionError(f"improper constraint: {text}")
        found.append(_bound(match))
        at = match.end()
        rest = text[at:].lstrip()
        if rest.startswith(","):
            at = len(text) - len(rest) + 1
    if not found or text.rstrip().endswith(","):
        raise FunctionError(f"improper constraint: {text}")
    return found


def _bound(match: re.Match[str]) -> _Bound:
    operator, major, minor, patch, pre = match[1], match[3], match[4], match[5], match[6] or ""
    said = next((at for at, part in enumerate((major, minor, patch)) if part in {None, "x", "X", "*"}), 3)
    numbers = ["0" if at >= said else part for at, part in enumerate((major, minor, patch))]
    if not all(part.isdecimal() for part in numbers):
        raise FunctionError("constraint parser error")
    version = Version(int(numbers[0]), int(numbers[1]), int(numbers[2]), pre)
    return _Bound(operator, version, said)


def semver(text: str) -> object:
    return parse(text)


def _text(one: Version) -> str:
    return one.shown()


def _original(one: Version) -> str:
    return one.original


def _prerelease(one: Version) -> str:
    return one.pre


def _metadata(one: Version) -> str:
    return one.metadata


def _major(one: Version) -> object:
    return int64(one.major)


def _minor(one: Version) -> object:
    return int64(one.minor)


def _patch(one: Version) -> object:
    return int64(one.patch)


def _with_original(one: Version, before: Version) -> Version:
    prefix = "v" if before.original.startswith("v") else ""
    return replace(one, original=prefix + one.shown())


def _inc_major(one: Version) -> object:
    return _with_original(Version(one.major + 1, 0, 0), one)


def _inc_minor(one: Version) -> object:
    return _with_original(Version(one.major, one.minor + 1, 0), one)


def _inc_patch(one: Version) -> object:
    return _with_original(Version(one.major, one.minor, one.patch + (not one.pre)), one)


def _compare(one: Version, other: object) -> int:
    if not isinstance(other, Version):
        raise FunctionError("a version is compared with a version: use `semver`")
    return (one > other) - (one < other)


FUNCTIONS: dict[str, Implementation] = {"semver": semver, "semverCompare": semver_compare}
METHODS: dict[str, Implementation] = {
    "Compare": _compare,
    "IncMajor": _inc_major,
    "IncMinor": _inc_minor,
    "IncPatch": _inc_patch,
    "Major": _major,
    "Metadata": _metadata,
    "Minor": _minor,
    "Original": _original,
    "Patch": _patch,
    "Prerelease": _prerelease,
    "String": _text,
}
