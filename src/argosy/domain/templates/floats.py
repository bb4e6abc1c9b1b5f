"""Go's texts for floats: the shortest that reads back, with an exponent where Go puts one."""

from __future__ import annotations

import math
from decimal import Decimal


def shortest(value: float) -> str:
    """`%v` and `%g`: with an exponent below 1e-4 and from a million on."""
    if not math.isfinite(value):
        return infinite(value)
    sign, digits, point = _digits(value)
    exponent = point - 1
    if exponent < -4 or exponent >= 6:
        return sign + _scientific(digits, exponent)
    return sign + _plain(digits, point)


def json_number(value: float) -> str:
    """As JavaScript does: plain between 1e-6 and 1e21."""
    sign, digits, point = _digits(value)
    if value != 0 and not 1e-6 <= abs(value) < 1e21:
        text = _scientific(digits, point - 1)
        return sign + text.replace("e-0", "e-").replace("e+0", "e+")
    return sign + _plain(digits, point)


def infinite(value: float) -> str:
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


def _digits(value: float) -> tuple[str, str, int]:
    """Sign, digits, and where the point stands before them: 12.5 is 125 and 2."""
    sign, found, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int)
    digits = "".join(map(str, found)).lstrip("0")
    point = len(digits) + exponent
    digits = digits.rstrip("0")
    return "-" if sign else "", digits, point if digits else 1


def _scientific(digits: str, exponent: int) -> str:
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[:1] or '0'}{rest}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _plain(digits: str, point: int) -> str:
    if not digits:
        return "0"
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    if point >= len(digits):
        return digits + "0" * (point - len(digits))
    return f"{digits[:point]}.{digits[point:]}"
