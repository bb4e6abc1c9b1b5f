"""Patterns of paths: Go's `path.Match` for folders, Git's own for files, and the stricter ones that upstream has as an option."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

import re2

from argosy.argo.cd.application_sets.failing import GenerationFailed

_LONGEST = 4096


class BadPattern(Exception):
    pass


class _Pattern(Protocol):
    def fullmatch(self, text: str) -> object | None: ...


def folder_matches(pattern: str, path: str) -> bool:
    """`*` stays in one folder. A pattern that cannot be read matches nothing."""
    try:
        return _folder(pattern).fullmatch(path) is not None
    except BadPattern:
        return False


@lru_cache(maxsize=1024)
def _folder(pattern: str) -> _Pattern:
    return _compiled(pattern, any_chars="[^/]*", one_char="[^/]", stars=None)


def file_matcher(pattern: str, *, strict: bool) -> Callable[[str], bool]:
    """`strict`: `*` stays in one folder, and `**` goes through any. Otherwise `*` goes through any, and a folder stands for all in it."""
    if pattern.startswith(":"):
        raise GenerationFailed(f"the path {pattern!r} begins with a colon, which Git takes for an order")
    try:
        return _strict(pattern) if strict else _as_git(pattern)
    except BadPattern as error:
        raise GenerationFailed(f"the path {pattern!r} cannot be read: {error}") from error


def _as_git(pattern: str) -> Callable[[str], bool]:
    if not any(sign in pattern for sign in "*?[\\"):
        folder = pattern.rstrip("/")
        if folder in {"", "."}:
            return lambda _path: True
        return lambda path: path == pattern or path.startswith(f"{folder}/")
    found = _compiled(pattern, any_chars=".*", one_char=".", stars=".*")
    return lambda path: found.fullmatch(path) is not None


def _strict(pattern: str) -> Callable[[str], bool]:
    alternatives = [
        _compiled(one, any_chars="[^/]*", one_char="[^/]", stars="(?:[^/]+/)*")
        for one in _without_braces(pattern.lstrip("/"))
    ]
    return lambda path: any(one.fullmatch(path) for one in alternatives)


def _without_braces(pattern: str, depth: int = 0) -> list[str]:
    """`{a,b}` written out."""
    if depth > 8:
        raise BadPattern("too many braces")
    found = re.search(r"\{([^{}]*)\}", pattern)
    if found is None:
        return [pattern]
    return [
        one
        for choice in found[1].split(",")
        for one in _without_braces(pattern[: found.start()] + choice + pattern[found.end() :], depth + 1)
    ]


def _compiled(pattern: str, *, any_chars: str, one_char: str, stars: str | None) -> _Pattern:
    """By RE2, whose time grows with the path's length only, however many stars there are."""
    if len(pattern) > _LONGEST:
        raise BadPattern("it is too long")
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            end = at
            while pattern[end : end + 1] == "*":
                end += 1
            whole = (
                stars is not None
                and end - at == 2
                and pattern[at - 1 : at] in {"", "/"}
                and pattern[end : end + 1] in {"", "/"}
            )
            if whole and stars is not None and pattern[end : end + 1] == "/" and stars != ".*":
                parts.append(stars)
                end += 1
            elif whole and stars is not None:
                parts.append(".*")
            else:
                parts.append(any_chars)
            at = end
        elif char == "?":
            parts.append(one_char)
            at += 1
        elif char == "[":
            text, at = _class(pattern, at)
            parts.append(text)
        elif char == "\\":
            if at + 1 >= len(pattern):
                raise BadPattern("a backslash at its end")
            parts.append(_literal(pattern[at + 1]))
            at += 2
        else:
            parts.append(_literal(char))
            at += 1
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    try:
        compiled: _Pattern = re2.compile("".join(parts), options)
    except re2.error as error:
        raise BadPattern(str(error)) from error
    return compiled


def _class(pattern: str, at: int) -> tuple[str, int]:
    end = at + 1
    negated = pattern[end : end + 1] in {"^", "!"}
    end += negated
    inside: list[str] = []
    while end < len(pattern) and (pattern[end] != "]" or not inside):
        if pattern[end] == "\\":
            end += 1
        if pattern[end : end + 1] == "-" and inside:
            inside.append("-")
        else:
            inside.append(_literal(pattern[end : end + 1]))
        end += 1
    if end >= len(pattern):
        raise BadPattern("a bracket is not closed")
    return f"[{'^/' if negated else ''}{''.join(inside)}]", end + 1


def _literal(char: str) -> str:
    return char if char.isalnum() or char in "_/" or not char.isascii() else f"\\{char}"
