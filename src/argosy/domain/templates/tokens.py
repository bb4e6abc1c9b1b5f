"""A template cut into tokens, as `text/template` cuts it: text, and between `{{` and `}}` words, literals, signs and spaces.

Spaces count there: `$x .y` are two things. What cannot be read becomes a token of its own, and the parser says so when it gets there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from argosy.domain.templates.quoting import quoted

TokenKind: TypeAlias = Literal[
    "text", "left", "right", "space", "assign", "declare", "pipe", "char", "open", "close", "string", "raw", "number",
    "rune", "complex", "field", "variable", "dot", "word", "bool", "nil", "keyword", "end", "error",
]  # fmt: skip
KEYWORDS = frozenset(
    ["block", "break", "continue", "define", "else", "end", "if", "range", "template", "with"]
)
_SPACES = " \t\r\n"
_LEFT, _RIGHT = "{{", "}}"


class Token(NamedTuple):
    kind: TokenKind
    text: str
    at: int
    line: int

    def __str__(self) -> str:
        """As Go shows it in an error."""
        if self.kind == "end":
            return "EOF"
        if self.kind == "error":
            return self.text
        if self.kind == "keyword":
            return f"<{self.text}>"
        return quoted(self.text) if len(self.text) <= 10 else f"{quoted(self.text[:10])}..."


class _Garbled(Exception):
    pass


def tokens(source: str) -> list[Token]:
    reader = _Reader(source)
    found: list[Token] = []
    try:
        found.extend(reader.all())
    except _Garbled as error:
        # Only whole tokens were kept; Go forgets the half one too.
        found = [*reader.done, Token("error", str(error), reader.start, reader.start_line)]
    return found


class _Reader:
    def __init__(self, source: str) -> None:
        self.source, self.at, self.line = source, 0, 1
        self.start, self.start_line, self.depth = 0, 1, 0
        self.done: list[Token] = []

    def all(self) -> Iterator[Token]:
        for token in self._all():
            self.done.append(token)
            yield token

    def _all(self) -> Iterator[Token]:
        while True:
            left = self.source.find(_LEFT, self.at)
            if left < 0:
                if self.at < len(self.source):
                    yield self._text(len(self.source), len(self.source))
                yield Token("end", "", self.at, self.line)
                return
            end = left
            if _trims_before(self.source, left + 2):
                end = self.at + len(self.source[self.at : left].rstrip(_SPACES))
            if end > self.at:
                yield self._text(end, left)
            else:
                self._skip(left)
            yield from self._action()

    def _text(self, end: int, goes_on: int) -> Token:
        token = Token("text", self.source[self.at : end], self.at, self.line)
        self._skip(goes_on)
        return token

    def _skip(self, to: int) -> None:
        self.line += self.source.count("\n", self.at, to)
        self.at = to

    def _action(self) -> Iterator[Token]:
        left, after = self.at, self.at + 2
        if _trims_before(self.source, after):
            after += 2
        if self.source.startswith("/*", after):
            self._comment(after)
            return
        yield Token("left", _LEFT, left, self.line)
        self._skip(after)
        self.depth = 0
        while True:
            self.start, self.start_line = self.at, self.line
            right, trims = self._right()
            if right:
                if self.depth:
                    raise _Garbled("unclosed left paren")
                yield self._close(trims)
                return
            yield from self._inside()

    def _comment(self, at: int) -> None:
        self.start, self.start_line = at, self.line
        end = self.source.find("*/", at + 2)
        if end < 0:
            raise _Garbled("unclosed comment")
        self._skip(end + 2)
        right, trims = self._right()
        if not right:
            raise _Garbled("comment ends before closing delimiter")
        self._close(trims)

    def _right(self) -> tuple[bool, bool]:
        """Whether the action ends here, and whether it trims what follows."""
        source, at = self.source, self.at
        if source[at : at + 1] and source[at] in _SPACES and source.startswith("-}}", at + 1):
            return True, True
        return source.startswith(_RIGHT, at), False

    def _close(self, trims: bool) -> Token:
        token = Token("right", _RIGHT, self.at + 2 * trims, self.line)
        end = self.at + 2 + 2 * trims
        if trims:
            rest = self.source[end:]
            end += len(rest) - len(rest.lstrip(_SPACES))
        self._skip(end)
        return token

    def _inside(self) -> Iterator[Token]:
        source, at = self.source, self.at
        char = source[at : at + 1]
        following = source[at + 1 : at + 2]
        if not char:
            raise _Garbled("unclosed action")
        if char in _SPACES:
            yield from self._spaces()
        elif char == "=":
            yield self._made("assign", at + 1)
        elif char == ":":
            if following != "=":
                raise _Garbled("expected :=")
            yield self._made("declare", at + 2)
        elif char == "|":
            yield self._made("pipe", at + 1)
        elif char in "\"'":
            yield self._quoted(char)
        elif char == "`":
            end = source.find("`", at + 1)
            if end < 0:
                raise _Garbled("unterminated raw quoted string")
            yield self._made("raw", end + 1)
        elif char == "$" or (char == "." and not ("0" <= following <= "9")):
            yield self._name(char)
        elif char in "+-.0123456789":
            yield self._number()
        elif _is_word(char):
            yield self._word()
        elif char in "()":
            self.depth += 1 if char == "(" else -1
            if self.depth < 0:
                raise _Garbled("unexpected right paren")
            yield self._made("open" if char == "(" else "close", at + 1)
        elif " " < char <= "~":
            yield self._made("char", at + 1)
        else:
            raise _Garbled(f"unrecognized character in action: {_shown(char)}")

    def _spaces(self) -> Iterator[Token]:
        """The last one may belong to a trimming end."""
        end = self.at
        while self.source[end : end + 1] and self.source[end] in _SPACES:
            end += 1
        if self.source.startswith("-}}", end):
            end -= 1
        if end > self.at:
            yield self._made("space", end)

    def _made(self, kind: TokenKind, end: int) -> Token:
        token = Token(kind, self.source[self.at : end], self.at, self.line)
        self._skip(end)
        return token

    def _quoted(self, quote: str) -> Token:
        at = self.at + 1
        while True:
            char = self.source[at : at + 1]
            if char == "\\":
                at += 1
                char = self.source[at : at + 1]
                if char and char != "\n":
                    at += 1
                    continue
                char = ""
            if char in {"", "\n"}:
                what = "quoted string" if quote == '"' else "character constant"
                raise _Garbled(f"unterminated {what}")
            at += 1
            if char == quote:
                return self._made("string" if quote == '"' else "rune", at)

    def _name(self, sign: str) -> Token:
        end = self._word_end(self.at + 1)
        if end == self.at + 1:
            if self._ends_word(end):
                return self._made("dot" if sign == "." else "variable", end)
            raise _Garbled(f"bad character {_shown(self.source[end : end + 1])}")
        if not self._ends_word(end):
            raise _Garbled(f"bad character {_shown(self.source[end : end + 1])}")
        return self._made("field" if sign == "." else "variable", end)

    def _word(self) -> Token:
        end = self._word_end(self.at)
        if not self._ends_word(end):
            raise _Garbled(f"bad character {_shown(self.source[end : end + 1])}")
        word = self.source[self.at : end]
        kind: TokenKind = "word"
        if word in KEYWORDS:
            kind = "keyword"
        elif word in {"true", "false"}:
            kind = "bool"
        elif word == "nil":
            kind = "nil"
        return self._made(kind, end)

    def _word_end(self, at: int) -> int:
        while _is_word(self.source[at : at + 1]):
            at += 1
        return at

    def _ends_word(self, at: int) -> bool:
        char = self.source[at : at + 1]
        return not char or char in _SPACES or char in ".,|:)(" or self.source.startswith(_RIGHT, at)

    def _number(self) -> Token:
        end = self._digits(self.at)
        if self.source[end : end + 1] in {"+", "-"}:
            end = self._digits(end)
            if self.source[end - 1] != "i":
                raise _Garbled(f"bad number syntax: {quoted(self.source[self.at : end])}")
            return self._made("complex", end)
        return self._made("number", end)

    def _digits(self, at: int) -> int:
        source = self.source
        at += source[at : at + 1] in {"+", "-"}
        digits = "0123456789_"
        if source[at : at + 1] == "0":
            at += 1
            form = source[at : at + 1].lower()
            if form in {"x", "o", "b"}:
                digits = {"x": "0123456789abcdefABCDEF_", "o": "01234567_", "b": "01_"}[form]
                at += 1
        at = _run(source, at, digits)
        if source[at : at + 1] == ".":
            at = _run(source, at + 1, digits)
        power = {11: "eE", 23: "pP"}.get(len(digits), "")
        if source[at : at + 1] and source[at] in power:
            at += 1
            at = _run(source, at + (source[at : at + 1] in {"+", "-"}), "0123456789_")
        at += source[at : at + 1] == "i"
        if _is_word(source[at : at + 1]):
            raise _Garbled(f"bad number syntax: {quoted(source[self.at : at + 1])}")
        return at


def _run(source: str, at: int, chars: str) -> int:
    while source[at : at + 1] and source[at] in chars:
        at += 1
    return at


def _trims_before(source: str, at: int) -> bool:
    return source[at : at + 1] == "-" and source[at + 1 : at + 2] in {" ", "\t", "\r", "\n"}


def _is_word(char: str) -> bool:
    return char == "_" or (char != "" and (char.isalpha() or char.isdecimal()))


def _shown(char: str) -> str:
    if not char:
        return "U+FFFFFFFFFFFFFFFF"
    return f"U+{ord(char):04X} '{char}'" if char.isprintable() else f"U+{ord(char):04X}"
