"""Upper and lower case of words: `camelcase`, `snakecase`, `kebabcase`, `title` and their like, with upstream's idea of a word."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

_WordKind: TypeAlias = Literal["number", "upper", "letters", "connector", "punctuation", "other"]
_CHINESE = (("\u4e00", "\u9fcc"), ("\u3400", "\u4d85"), ("\U00020000", "\U0002b81d"))


def pascal(text: str) -> str:
    """`some_words` → `SomeWords`. Connectors at both ends stay."""
    start = 0
    while start < len(text) and _is_connector(text[start]):
        start += 1
    written = [*text[:start]]
    if start == len(text):
        return text + text[-1:]  # upstream writes the last one twice
    was_upper = text[start].isupper()
    char = upper(text[start])
    if start == len(text) - 1:
        return "".join(written) + char
    for following in text[start + 1 :]:
        before, char = char, following
        if _is_connector(char) and _is_connector(before):
            written.append(before)
        elif _is_connector(before):
            was_upper = char.isupper()
            char = upper(char)
        else:
            if was_upper:
                if char.isupper():
                    char = char.lower()
                else:
                    was_upper = False
            written.append(before)
    written.append(char)
    return "".join(written)


def snake(text: str) -> str:
    return _joined(text, "_")


def kebab(text: str) -> str:
    return _joined(text, "-")


class _Word(NamedTuple):
    kind: _WordKind
    text: str


def _joined(text: str, connector: str) -> str:
    """Words in lower case. A number belongs to the word before it, unless letters follow: `Bld4Floor`, but `http_2xx`."""
    return _Joining(list(_words(text)), connector).all()


class _Joining:
    def __init__(self, words: list[_Word], connector: str) -> None:
        self._words, self._connector = words, connector
        self._at = 0
        self._written: list[str] = []

    def all(self) -> str:
        while self._at < len(self._words):
            kind = self._write()
            if self._kind() is None or kind in {"connector", "punctuation"}:
                continue
            if kind == "number":
                self._letters()
                self._separate()
            elif self._kind() != "number":
                self._separate()
            elif self._at + 1 < len(self._words):
                self._number()
        return "".join(self._written)

    def _number(self) -> None:
        """Behind a word, and not the last."""
        if self._kind(1) == "letters":
            self._written.append(self._connector)
            self._write()
            self._letters()
        else:
            self._write()
        self._separate()

    def _write(self) -> _WordKind:
        kind, text = self._words[self._at]
        self._at += 1
        lowered = self._connector * len(text) if kind == "connector" else text.lower()
        self._written.append(lowered if kind in {"connector", "upper"} else text)
        return kind

    def _letters(self) -> None:
        while self._kind() in {"letters", "number"}:
            self._write()

    def _separate(self) -> None:
        if self._kind() not in {None, "connector", "punctuation"}:
            self._written.append(self._connector)

    def _kind(self, ahead: int = 0) -> _WordKind | None:
        at = self._at + ahead
        return self._words[at].kind if at < len(self._words) else None


def _words(text: str) -> Iterator[_Word]:
    at = 0
    while at < len(text):
        kind, end = _word(text, at)
        yield _Word(kind, text[at:end])
        at = end


def _word(text: str, at: int) -> tuple[_WordKind, int]:
    char, end = text[at], at + 1
    if _is_connector(char):
        return "connector", _while(text, end, _is_connector)
    if _is_punctuation(char):
        return "punctuation", _while(text, end, _is_punctuation)
    if char.isupper():
        if end < len(text) and text[end].isupper():
            end = _while(text, end, str.isupper)
            if end < len(text) and _is_letter(text[end]):
                end -= 1  # the last capital begins the next word
        elif end < len(text) and _is_letter(text[end]):
            end = _while(text, end, _is_small_letter)
        return "upper", end
    if _is_letter(char):
        return "letters", _while(text, end, _is_small_letter)
    if char.isnumeric():
        return "number", _while(text, end, str.isnumeric)
    return "other", _while(text, end, _is_other)


def _while(text: str, at: int, holds: Callable[[str], bool]) -> int:
    while at < len(text) and holds(text[at]):
        at += 1
    return at


def _is_connector(char: str) -> bool:
    return char in "-_" or char.isspace()


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char).startswith("P")


def _is_letter(char: str) -> bool:
    """Chinese characters are none to upstream."""
    return char.isalpha() and not any(low <= char <= high for low, high in _CHINESE)


def _is_small_letter(char: str) -> bool:
    return _is_letter(char) and not char.isupper()


def _is_other(char: str) -> bool:
    return not (_is_connector(char) or _is_letter(char) or char.isnumeric() or _is_punctuation(char))


def titled(text: str, spaces: str) -> str:
    """The first letter of each word; what is neither letter, digit nor `_` ends a word, an apostrophe too."""
    written: list[str] = []
    inside = False
    for char in text:
        written.append(char if inside else _to_title(char))
        if char.isascii():
            inside = char.isalnum() or char == "_"
        else:
            inside = char.isalpha() or char.isdecimal() or char not in spaces
    return "".join(written)


def untitled(text: str, spaces: str) -> str:
    written: list[str] = []
    inside = False
    for char in text:
        if char in spaces:
            inside = False
        elif not inside:
            char, inside = char.lower(), True
        written.append(char)
    return "".join(written)


def swapped(text: str, spaces: str) -> str:
    written: list[str] = []
    gap = True
    for char in text:
        if char.isupper() or char.istitle():
            char, gap = char.lower(), False
        elif char.islower():
            char, gap = _to_title(char) if gap else upper(char), False
        else:
            gap = char in spaces
        written.append(char)
    return "".join(written)


def upper(char: str) -> str:
    """Never more than one: `ß` stays."""
    found = char.upper()
    return found if len(found) == 1 else char


def _to_title(char: str) -> str:
    title = char.title()
    return title if len(title) == 1 else char
