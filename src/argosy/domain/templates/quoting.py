"""Go's quoted texts: written (`%q`) and read back (literals of a template)."""

from __future__ import annotations

import unicodedata

_WRITTEN = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
}
_READ = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_LENGTHS = {"x": 2, "u": 4, "U": 8}


class BadQuotes(Exception):
    pass


def quoted(text: str, *, quote: str = '"', only_ascii: bool = False) -> str:
    return quote + "".join(_escaped(char, quote, only_ascii) for char in text) + quote


def is_printed(char: str) -> bool:
    """Whether Go shows it as it is."""
    return char == " " or unicodedata.category(char)[0] in "LMNPS"


def _escaped(char: str, quote: str, only_ascii: bool) -> str:
    if char == quote:
        return f"\\{char}"
    if char in _WRITTEN:
        return _WRITTEN[char]
    code = ord(char)
    if code < 0x80:
        return char if is_printed(char) else f"\\x{code:02x}"
    if 0xDC80 <= code <= 0xDCFF:  # a byte of no character
        return f"\\x{code - 0xDC00:02x}"
    if is_printed(char) and not only_ascii:
        return char
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def unquoted(literal: str) -> str:
    """Of a text in double quotes or backquotes."""
    if literal[0] == "`":
        return literal[1:-1].replace("\r", "")
    return "".join(char for char, _ in _characters(literal[1:-1], '"'))


def character(literal: str) -> int:
    """The code of what stands in single quotes."""
    inside = literal[1:-1]
    if not inside or inside == "'":
        raise BadQuotes("invalid syntax")
    found = list(_characters(inside, "'"))
    if len(found) != 1:
        raise BadQuotes(f"malformed character constant: {literal}")
    return found[0][1]


def _characters(inside: str, quote: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    at = 0
    while at < len(inside):
        if inside[at] != "\\":
            found.append((inside[at], ord(inside[at])))
            at += 1
            continue
        sign = inside[at + 1 : at + 2]
        if sign in _READ or sign == quote:
            char = _READ.get(sign, sign)
            found.append((char, ord(char)))
            at += 2
        elif sign in _LENGTHS:
            code = _code(inside[at + 2 : at + 2 + _LENGTHS[sign]], _LENGTHS[sign], 16)
            found.append((_byte(code) if sign == "x" else _rune(code), code))
            at += 2 + _LENGTHS[sign]
        elif sign and sign in "01234567":
            code = _code(inside[at + 1 : at + 4], 3, 8)
            if code > 0xFF:
                raise BadQuotes("invalid syntax")
            found.append((_byte(code), code))
            at += 4
        else:
            raise BadQuotes("invalid syntax")
    joined = "".join(char for char, _ in found)
    if any("\udc80" <= char <= "\udcff" for char in joined):  # bytes that together may be a character
        whole = joined.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
        return [(char, found[0][1] if len(found) == 1 else ord(char)) for char in whole]
    return found


def _code(digits: str, length: int, base: int) -> int:
    try:
        if len(digits) != length or not digits.isalnum():
            raise ValueError
        return int(digits, base)
    except ValueError as error:
        raise BadQuotes("invalid syntax") from error


def _byte(code: int) -> str:
    return chr(code) if code < 0x80 else chr(0xDC00 + code)


def _rune(code: int) -> str:
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise BadQuotes("invalid syntax")
    return chr(code)
