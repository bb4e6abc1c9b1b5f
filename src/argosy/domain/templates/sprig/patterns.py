"""Regular expressions in Go's dialect, by RE2 itself: its time grows with the text only, whatever the pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Protocol

import re2

from argosy.domain.templates import budget
from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.values import Strings, valid

_MEMORY = 8 * 1024 * 1024
_LONGEST = 10_000
_REFERENCE = re.compile(r"\$(?:\$|(\w+)|\{(\w+)\})")
_SPECIAL = frozenset("\\.+*?()|[]{}^$")


_WORDS = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "no argument for repetition operator": "missing argument to repetition operator",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid repetition size": "invalid repeat count",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "trailing \\": "trailing backslash at end of expression",
}
"""RE2's words, and Go's."""


class _Pattern(Protocol):
    @property
    def groups(self) -> int: ...
    @property
    def groupindex(self) -> Mapping[str, int]: ...
    def finditer(self, text: str) -> Iterator[_Match]: ...


class _Match(Protocol):
    @property
    def re(self) -> _Pattern: ...
    def start(self) -> int: ...
    def end(self) -> int: ...
    def group(self, index: int) -> str | None: ...


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> _Pattern:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        compiled: _Pattern = re2.compile(pattern, options)
        return compiled
    except re2.error as error:
        cause = error.args[0] if error.args else b""
        told = cause.decode(errors="replace") if isinstance(cause, bytes) else str(cause)
        what, _, where = told.partition(": ")
        raise FunctionError(f"error parsing regexp: {_WORDS.get(what, what)}: `{where}`") from error


def _found(pattern: str, text: str, count: int = -1) -> list[tuple[int, int, _Match]]:
    """Where it matches, without empty matches right behind another one."""
    if len(pattern) > _LONGEST:
        raise FunctionError(f"the pattern is longer than {_LONGEST} characters")
    budget.spend(len(text) >> 4)
    found: list[tuple[int, int, _Match]] = []
    end = -1
    for match in _compiled(valid(pattern)).finditer(valid(text)):
        if 0 <= count <= len(found):
            break
        if match.start() == match.end() == end:
            continue
        end = match.end()
        found.append((match.start(), end, match))
        budget.spend()
    return found


def must_match(pattern: str, text: str) -> bool:
    return bool(_found(pattern, text, 1))


def matches(pattern: str, text: str) -> bool:
    """A pattern that cannot be read matches nothing."""
    try:
        return must_match(pattern, text)
    except FunctionError:
        return False


def find_all(pattern: str, text: str, count: int) -> object:
    return Strings([text[start:end] for start, end, _ in _found(pattern, text, count)])


def find(pattern: str, text: str) -> str:
    return next((text[start:end] for start, end, _ in _found(pattern, text, 1)), "")


def replace_all(pattern: str, text: str, template: str) -> str:
    """`$1` and `${name}` stand for what was found."""
    return _replaced(pattern, text, lambda match: _expanded(template, match))


def replace_all_literal(pattern: str, text: str, by: str) -> str:
    return _replaced(pattern, text, lambda _match: by)


def _replaced(pattern: str, text: str, made: Callable[[_Match], str]) -> str:
    parts: list[str] = []
    at = length = 0
    for start, end, match in _found(pattern, text):
        parts += (text[at:start], made(match))
        length += len(parts[-1]) + len(parts[-2])
        budget.text_of(length)
        at = end
    return "".join([*parts, text[at:]])


def _expanded(template: str, match: _Match) -> str:
    names, groups = match.re.groupindex, match.re.groups

    def one(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        name = found[1] or found[2]
        index = int(name) if name.isdecimal() and len(name) < 6 else names.get(name, -1)
        return (match.group(index) or "") if 0 <= index <= groups else ""

    return _REFERENCE.sub(one, template)


def split(pattern: str, text: str, count: int) -> object:
    if count == 0:
        return Strings()
    if pattern and not text:
        return Strings([""])
    parts: list[str] = []
    start = end = 0
    for begins, ends, _ in _found(pattern, text):
        if 0 < count == len(parts) + 1:
            break
        end = begins
        if ends != 0:
            parts.append(text[start:end])
        start = ends
    if end != len(text):
        parts.append(text[start:])
    return Strings(parts)


def quote_meta(text: str) -> str:
    budget.text_of(2 * len(text))
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in text)


FUNCTIONS: dict[str, Implementation] = {
    "mustRegexFind": find,
    "mustRegexFindAll": find_all,
    "mustRegexMatch": must_match,
    "mustRegexReplaceAll": replace_all,
    "mustRegexReplaceAllLiteral": replace_all_literal,
    "mustRegexSplit": split,
    "regexFind": find,
    "regexFindAll": find_all,
    "regexMatch": matches,
    "regexQuoteMeta": quote_meta,
    "regexReplaceAll": replace_all,
    "regexReplaceAllLiteral": replace_all_literal,
    "regexSplit": split,
}
