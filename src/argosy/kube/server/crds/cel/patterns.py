"""`find` and `findAll`, for patterns that this can find as upstream does (`searchable`). `matches` is the library's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from argosy.kube.server.crds.regex_syntax import RegexError
from argosy.kube.server.crds.regexes import Finder, finder


def searchable(pattern: str) -> Finder | None:
    try:
        return finder(pattern)
    except RegexError:
        return None


def _found(text: str, pattern: str) -> str:
    match = _finder(pattern).pattern.search(text)
    return match[0] if match else ""


def _all(text: str, pattern: str, most: int = -1) -> list[str]:
    found = [match[0] for match in _finder(pattern).pattern.finditer(text)]
    return found if most < 0 else found[:most]


def _finder(pattern: str) -> Finder:
    found = searchable(pattern)
    if found is None:
        raise ValueError(f"illegal regex: {pattern}")
    return found


FUNCTIONS: Final[Mapping[tuple[str, str], Callable[..., object]]] = {
    ("find", ".string string -> string"): _found,
    ("findAll", ".string string -> strings"): _all,
    ("findAll", ".string string int -> strings"): _all,
}
