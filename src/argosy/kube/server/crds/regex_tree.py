"""What a regular expression says, as a tree: `regex_syntax` reads it, `regexes` matches with it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

Assertion: TypeAlias = Literal["begin", "end", "line begin", "line end", "word", "no word"]
Range: TypeAlias = tuple[int, int]

SCRIPTS = {
    "Greek": "GREEK",
    "Cyrillic": "CYRILLIC",
    "Latin": "LATIN",
    "Han": "CJK UNIFIED",
    "Hiragana": "HIRAGANA",
}
"""Scripts that can be asked for, and how the names of their characters begin."""


@dataclass(frozen=True, slots=True)
class Property:
    """A general category of Unicode, or a script by the names that its characters have."""

    name: str
    negated: bool

    def holds(self, char: str) -> bool:
        script = SCRIPTS.get(self.name)
        if script is not None:
            found = unicodedata.name(char, "").startswith(script)
        else:
            found = unicodedata.category(char).startswith(self.name)
        return found is not self.negated


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of some. `folded`: whatever its case."""

    ranges: tuple[Range, ...]
    properties: tuple[Property, ...] = ()
    negated: bool = False
    folded: bool = False

    def holds(self, char: str) -> bool:
        if self.folded and len(char.lower()) == len(char.upper()) == 1:
            found = any(self._has(one) for one in {char, char.lower(), char.upper()})
        else:
            found = self._has(char)
        return found is not self.negated

    def _has(self, char: str) -> bool:
        code = ord(char)
        return any(low <= code <= high for low, high in self.ranges) or any(
            one.holds(char) for one in self.properties
        )


@dataclass(frozen=True, slots=True)
class Sequence:
    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    node: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Assert:
    what: Assertion


Node: TypeAlias = Chars | Sequence | Choice | Repeat | Assert
