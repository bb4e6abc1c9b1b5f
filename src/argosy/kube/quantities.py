"""Quantities of Kubernetes: `500m`, `1.5Gi`, `3e6`. Exact, and written back in the one canonical form.

Decoding canonicalises each, rules compare them, schedulers add them up.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

_SYNTAX = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(.*)", re.DOTALL)
_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SUFFIXES = {power: suffix for suffix, power in _DECIMAL.items()}
_EXPONENT = re.compile(r"[eE][+-]?\d{1,9}")
_MOST = Fraction(2**63 - 1)
_LONGEST = 200


@lru_cache(maxsize=4096)
def amount(text: str) -> Fraction:
    """Its value, rounded up to nanos and capped as upstream does. `ValueError` with upstream's words."""
    return _parse(text)[0]


@lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    value, form = _parse(text)
    if not value:
        return "0"
    if form == "binary" and not -1024 < value < 1024 and value.denominator == 1:
        whole, power = value.numerator, 0
        while whole % 1024 == 0 and power < 60:
            whole, power = whole // 1024, power + 10
        return f"{whole}{next((name for name, bits in _BINARY.items() if bits == power), '')}"
    nanos = value.numerator * 10**9 // value.denominator
    power = -9
    while nanos % 1000 == 0 and (power < 18 or form == "exponent"):
        nanos, power = nanos // 1000, power + 3
    if form == "exponent":
        return f"{nanos}e{power}" if power else str(nanos)
    return f"{nanos}{_SUFFIXES[power]}"


def _parse(text: str) -> tuple[Fraction, str]:
    found = _SYNTAX.fullmatch(text)
    if found is None or len(text) > _LONGEST or not text or not (found[2] or found[3]):
        raise ValueError(_WRONG)
    sign, whole, rest, suffix = found.groups()
    if suffix in _BINARY:
        scale, form = Fraction(2 ** _BINARY[suffix]), "binary"
    elif suffix in _DECIMAL:
        scale, form = Fraction(10) ** _DECIMAL[suffix], "decimal"
    elif _EXPONENT.fullmatch(suffix):
        power = int(suffix[1:])
        if abs(power) > _LONGEST:
            raise ValueError(_WRONG)
        scale, form = Fraction(10) ** power, "exponent"
    else:
        raise ValueError("unable to parse quantity's suffix" if _looks_like_suffix(suffix) else _WRONG)
    digits = int((whole or "") + (rest or ""))
    value = Fraction(digits, 10 ** len(rest or "")) * scale
    nanos = value * 10**9
    if nanos.denominator != 1:
        value = Fraction(-(-nanos.numerator // nanos.denominator), 10**9)
    value = min(value, _MOST)
    return -value if sign == "-" else value, form


def _looks_like_suffix(text: str) -> bool:
    return re.fullmatch(r"[eEinumkKMGTP]*[-+]?\d*", text) is not None
