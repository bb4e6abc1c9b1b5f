"""What Go says of a text that is no JSON. Clients show these words, and people search for them.

`text` asks after another, faster reader has refused a body: the first byte at which Go would stop, and why.
"""

from __future__ import annotations

import re

ENDED = "unexpected end of JSON input"
_SPACE = re.compile(rb"[ \t\r\n]*")
_PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
_DIGITS = re.compile(rb"[0-9]*")
_HEX = b"0123456789abcdefABCDEF"
_LITERALS = {b"t": b"true", b"f": b"false", b"n": b"null"}
_ESCAPES = b'bfnrt\\/"'


class _Stop(Exception):
    """`at` is where, or the end of the text."""

    def __init__(self, at: int, where: str) -> None:
        super().__init__()
        self.at, self.where = at, where


def complaint(body: bytes, *, deepest: int = 10_000) -> str:
    """Empty: there is nothing wrong with it."""
    try:
        _whole(body, deepest)
    except _Stop as stop:
        if stop.at >= len(body):
            return ENDED
        return f"invalid character {_shown(body[stop.at])} {stop.where}"
    return ""


def _whole(body: bytes, deepest: int) -> None:
    """Not by recursion: a body may be nested as deep as it is long."""
    open_: list[bytes] = []
    at = _value(body, _space(body, 0), open_, deepest)
    while open_:
        at = _space(body, at)
        closing = b"}" if open_[-1] == b"{" else b"]"
        match body[at : at + 1]:
            case b"," if open_[-1] == b"{":
                at = _value(body, _key(body, _space(body, at + 1)), open_, deepest)
            case b",":
                at = _value(body, _space(body, at + 1), open_, deepest)
            case found if found == closing:
                open_.pop()
                at += 1
            case _:
                after = "after object key:value pair" if open_[-1] == b"{" else "after array element"
                raise _Stop(at, after)
    if (at := _space(body, at)) < len(body):
        raise _Stop(at, "after top-level value")


def _value(body: bytes, at: int, open_: list[bytes], deepest: int) -> int:
    """To its end; of an object or a list, to behind what it begins with, and `open_` knows that it is not closed."""
    while True:
        if len(open_) > deepest:
            raise _Stop(body.rfind(open_[-1], 0, at), "exceeded max depth")
        match body[at : at + 1]:
            case b"{":
                inside = _space(body, at + 1)
                if body[inside : inside + 1] == b"}":
                    return inside + 1
                open_.append(b"{")
                at = _key(body, inside)
            case b"[":
                inside = _space(body, at + 1)
                if body[inside : inside + 1] == b"]":
                    return inside + 1
                open_.append(b"[")
                at = inside
            case b'"':
                return _string(body, at + 1)
            case b"t" | b"f" | b"n":
                return _literal(body, at)
            case found if found and found in b"-0123456789":
                return _number(body, at)
            case _:
                raise _Stop(at, "looking for beginning of value")


def _key(body: bytes, at: int) -> int:
    """To the value behind the colon."""
    if body[at : at + 1] != b'"':
        raise _Stop(at, "looking for beginning of object key string")
    at = _space(body, _string(body, at + 1))
    if body[at : at + 1] != b":":
        raise _Stop(at, "after object key")
    return _space(body, at + 1)


def _string(body: bytes, at: int) -> int:
    while True:
        at = _end(_PLAIN, body, at)
        match body[at : at + 1]:
            case b'"':
                return at + 1
            case b"\\":
                at = _escape(body, at + 1)
            case _:
                raise _Stop(at, "in string literal")


def _escape(body: bytes, at: int) -> int:
    if body[at : at + 1] == b"u":
        for place in range(at + 1, at + 5):
            if place >= len(body) or body[place] not in _HEX:
                raise _Stop(place, "in \\u hexadecimal character escape")
        return at + 5
    if at >= len(body) or body[at] not in _ESCAPES:
        raise _Stop(at, "in string escape code")
    return at + 1


def _literal(body: bytes, at: int) -> int:
    word = _LITERALS[body[at : at + 1]]
    for place, wanted in enumerate(word):
        if body[at + place : at + place + 1] != bytes((wanted,)):
            raise _Stop(at + place, f"in literal {word.decode()} (expecting {_shown(wanted)})")
    return at + len(word)


def _number(body: bytes, at: int) -> int:
    if body[at : at + 1] == b"-":
        at += 1
    if body[at : at + 1] == b"0":
        at += 1
    else:
        at = _digits(body, at, "in numeric literal")
    if body[at : at + 1] == b".":
        at = _digits(body, at + 1, "after decimal point in numeric literal")
    if body[at : at + 1] in {b"e", b"E"}:
        at += 2 if body[at + 1 : at + 2] in {b"+", b"-"} else 1
        at = _digits(body, at, "in exponent of numeric literal")
    return at


def _digits(body: bytes, at: int, where: str) -> int:
    end = _end(_DIGITS, body, at)
    if end == at:
        raise _Stop(at, where)
    return end


def _space(body: bytes, at: int) -> int:
    return _end(_SPACE, body, at)


def _end(pattern: re.Pattern[bytes], body: bytes, at: int) -> int:
    found = pattern.match(body, at)
    return found.end() if found else at


def _shown(byte: int) -> str:
    match chr(byte):
        case "'":
            return r"'\''"
        case "\\":
            return r"'\\'"
        case one if one.isprintable():
            return f"'{one}'"
        case one if one in "\a\b\f\n\r\t\v":
            return "'\\" + "abfnrtv"["\a\b\f\n\r\t\v".index(one)] + "'"
        case one if byte < 0x80:
            return f"'\\x{byte:02x}'"
        case _:
            return f"'\\u{byte:04x}'"
