"""Go's regular expressions (RE2), read into a tree, with Go's words for what cannot be read.

Patterns of schemas are written in this dialect: Python's `re` would take things that it does not have (look-aheads, references)
and read others differently. `regexes` matches what this module reads.
"""

from __future__ import annotations

from dataclasses import dataclass

from argosy.kube.server.crds.regex_characters import (
    LAST,
    Reader,
    RegexError,
    char_class,
    code,
    escaped_class,
)
from argosy.kube.server.crds.regex_tree import Assert, Chars, Choice, Node, Repeat, Sequence

__all__ = ["RegexError", "parse"]

_MOST_REPEATS = 1000
_DEEPEST = 100


def parse(pattern: str) -> Node:
    """`RegexError` when Go could not."""
    parser = _Parser(pattern)
    found = parser.choice(0)
    if not parser.ended:
        raise RegexError("unexpected )", pattern)
    return found


@dataclass(frozen=True, slots=True)
class _Flags:
    folded: bool = False
    lines: bool = False
    dot_all: bool = False
    swapped: bool = False


class _Parser:
    def __init__(self, pattern: str) -> None:
        self._reader = Reader(pattern)
        self._flags = _Flags()

    @property
    def ended(self) -> bool:
        return self._reader.done

    def choice(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise RegexError("expression nests too deeply", self._reader.text)
        before, branches = self._flags, [self._sequence(depth)]
        while self._reader.take("|"):
            branches.append(self._sequence(depth))
        self._flags = before
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        repeated_at = -1
        while not self._reader.done and self._reader.text[self._reader.at] not in "|)":
            start = self._reader.at
            counts = self._repeat()
            if counts is None:
                if self._reader.take("\\Q"):
                    parts += self._quoted()
                    repeated_at = -1
                    continue
                part = self._atom(depth)
                if part is not None:
                    parts.append(part)
                    repeated_at = -1
                continue
            operator = self._reader.text[start : self._reader.at]
            if not parts:
                raise RegexError("missing argument to repetition operator", operator)
            if repeated_at >= 0:
                raise RegexError(
                    "invalid nested repetition operator", self._reader.text[repeated_at : self._reader.at]
                )
            least, most = counts
            if _product(parts[-1]) * max(least, most or 0, 1) > _MOST_REPEATS:
                raise RegexError("invalid repeat count", operator)
            parts[-1] = Repeat(parts[-1], least, most)
            repeated_at = start
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeat(self) -> tuple[int, int | None] | None:
        """The counts of an operator that stands here; a brace that is none is a character."""
        char, start = self._reader.text[self._reader.at], self._reader.at
        counts: tuple[int, int | None]
        match char:
            case "*":
                counts = 0, None
            case "+":
                counts = 1, None
            case "?":
                counts = 0, 1
            case "{":
                found = self._braces()
                if found is None:
                    return None
                counts = found
                self._reader.at -= 1
            case _:
                return None
        self._reader.at += 1
        self._reader.take("?")
        if char == "{" and (counts[0] > _MOST_REPEATS or (counts[1] or 0) > _MOST_REPEATS):
            raise RegexError("invalid repeat count", self._reader.text[start : self._reader.at])
        if counts[1] is not None and counts[1] < counts[0]:
            raise RegexError("invalid repeat count", self._reader.text[start : self._reader.at])
        return counts

    def _braces(self) -> tuple[int, int | None] | None:
        end = self._reader.text.find("}", self._reader.at)
        least, comma, most = self._reader.text[self._reader.at + 1 : end].partition(",")
        if end < 0 or not _number(least) or (most and not _number(most)):
            return None
        self._reader.at = end + 1
        return int(least), int(most) if most else None if comma else int(least)

    def _atom(self, depth: int) -> Node | None:
        char = self._reader.text[self._reader.at]
        match char:
            case "(":
                return self._group(depth)
            case "[":
                return char_class(self._reader, folded=self._flags.folded)
            case "\\":
                return self._escape()
        self._reader.at += 1
        match char:
            case ".":
                return Chars(((0, LAST),) if self._flags.dot_all else ((0, 9), (11, LAST)))
            case "^":
                return Assert("line begin" if self._flags.lines else "begin")
            case "$":
                return Assert("line end" if self._flags.lines else "end")
        return self._literal(ord(char))

    def _literal(self, code: int) -> Chars:
        return Chars(((code, code),), folded=self._flags.folded)

    def _group(self, depth: int) -> Node | None:
        before = self._flags
        start = self._reader.at
        self._reader.at += 1
        if self._reader.take("?"):
            if self._reader.take("P<") or self._reader.take("<"):
                self._name(start)
            elif not self._set_flags(start):
                return None
        found = self.choice(depth + 1)
        self._flags = before
        if not self._reader.take(")"):
            raise RegexError("missing closing )", self._reader.text)
        return found

    def _name(self, start: int) -> None:
        end = self._reader.text.find(">", self._reader.at)
        name = self._reader.text[self._reader.at : end]
        if end < 0:
            raise RegexError("invalid named capture", self._reader.text[start:])
        if not name or not name.isascii() or not name.replace("_", "a").isalnum():
            raise RegexError("invalid named capture", self._reader.text[start : end + 1])
        self._reader.at = end + 1

    def _set_flags(self, start: int) -> bool:
        """Whether a group follows; flags alone hold to the end of the group that they stand in."""
        on, seen = True, False
        found = {"i": self._flags.folded, "m": self._flags.lines, "s": self._flags.dot_all, "U": False}
        while not self._reader.done:
            char = self._reader.text[self._reader.at]
            self._reader.at += 1
            if char in found:
                found[char], seen = on, True
            elif char == "-" and on:
                on, seen = False, False
            elif char in ":)" and (on or seen):
                self._flags = _Flags(found["i"], found["m"], found["s"])
                return char == ":"
            else:
                break
        raise RegexError("invalid or unsupported Perl syntax", self._reader.text[start : self._reader.at])

    def _escape(self) -> Node:
        start = self._reader.at
        self._reader.at += 1
        if self._reader.done:
            raise RegexError("trailing backslash at end of expression", "")
        char = self._reader.text[self._reader.at]
        match char:
            case "A":
                self._reader.at += 1
                return Assert("begin")
            case "z":
                self._reader.at += 1
                return Assert("end")
            case "b" | "B":
                self._reader.at += 1
                return Assert("word" if char == "b" else "no word")
        ranges, properties = escaped_class(self._reader, start)
        if ranges or properties:
            return Chars(tuple(ranges), tuple(properties), folded=self._flags.folded)
        self._reader.at = start
        return self._literal(code(self._reader))

    def _quoted(self) -> list[Node]:
        end = self._reader.text.find("\\E", self._reader.at)
        inside = self._reader.text[self._reader.at :] if end < 0 else self._reader.text[self._reader.at : end]
        self._reader.at = len(self._reader.text) if end < 0 else end + 2
        return [self._literal(ord(char)) for char in inside]


def _number(text: str) -> bool:
    return text.isascii() and text.isdigit() and (len(text) == 1 or text[0] != "0") and len(text) < 10


def _product(node: Node) -> int:
    """How often the innermost part of nested repetitions may stand."""
    match node:
        case Repeat(inner, least, most):
            return max(least, most or 0, 1) * _product(inner)
        case Sequence(parts) | Choice(parts):
            return max(map(_product, parts), default=1)
    return 1
