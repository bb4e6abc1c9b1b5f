"""Numbers as templates write them. Like Go's constants they fit several types, and the syntax says which one where nothing else does."""

from __future__ import annotations

import re

from argosy.domain.templates.nodes import Number
from argosy.domain.templates.quoting import BadQuotes, character, quoted

_INTEGER = re.compile(
    r"[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[oO]?(?:_?[0-7])+|0[bB](?:_?[01])+|0|[1-9](?:_?[0-9])*)"
)
_FLOAT = re.compile(r"[+-]?(?:(?:[0-9](?:_?[0-9])*)?\.?(?:[0-9](?:_?[0-9])*)?)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_HEXADECIMAL_FLOAT = re.compile(r"[+-]?0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?[0-9]+")
_LONGEST = 400


class BadNumber(Exception):
    pass


def rune(at: int, text: str) -> Number:
    try:
        code = character(text)
    except BadQuotes as error:
        raise BadNumber(str(error)) from error
    return Number(at, text, code, float(code), code)


def number(at: int, text: str) -> Number:
    if text.endswith("i"):
        raise BadNumber(f"complex numbers are not supported: {quoted(text)}")
    whole = _whole(text)
    if whole is not None:
        fits = -(2**63) <= whole < 2**63
        if not fits and not 0 <= whole < 2**64:
            raise BadNumber(f"integer overflow: {quoted(text)}")
        return Number(at, text, whole if fits else None, float(whole), whole if fits else None)
    real = _real(text)
    if real is None:
        raise BadNumber(f"illegal number syntax: {quoted(text)}")
    if not any(sign in text for sign in ".eEpP"):
        raise BadNumber(f"integer overflow: {quoted(text)}")
    exact = int(real) if abs(real) < 2**63 and real == int(real) else None
    return Number(at, text, exact, real, real)


def _whole(text: str) -> int | None:
    if len(text) > _LONGEST or not _INTEGER.fullmatch(text):
        return None
    sign, digits = (-1, text[1:]) if text[0] == "-" else (1, text.lstrip("+"))
    digits = digits.replace("_", "")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        return sign * int(digits, 8)
    return sign * int(digits, 0)


def _real(text: str) -> float | None:
    if len(text) > _LONGEST:
        return None
    try:
        if _HEXADECIMAL_FLOAT.fullmatch(text):
            return float.fromhex(text)
        return float(text) if _FLOAT.fullmatch(text) else None
    except (ValueError, OverflowError):
        return None
