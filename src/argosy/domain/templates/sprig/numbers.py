"""Sprig's arithmetic: in 64-bit integers that wrap around, or through decimals for those that end in `f`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Context, Decimal, InvalidOperation
from secrets import randbelow

from argosy.domain.templates import budget, formatting
from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.values import Int64, Ints, int64

_INTEGER = re.compile(
    r"[+-]?(?:0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB]_?[01]+(?:_[01]+)*|0[oO]?_?[0-7]+(?:_[0-7]+)*|0|[1-9][0-9]*(?:_[0-9]+)*)"
)
_DECIMAL = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|infinity)|nan", re.IGNORECASE
)
_LONGEST = 400
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_CONTEXT = Context(prec=200)


def as_int64(value: object) -> Int64:
    """Of what is no number, 0."""
    match value:
        case bool() | int():
            return Int64(value)
        case float():
            return _cut(value)
        case str():
            return Int64(_parsed(_without_zeros(value)))
    return Int64(0)


def as_float(value: object) -> float:
    match value:
        case bool() | int() | float():
            return float(value)
        case str() if len(value) <= _LONGEST and _FLOAT.fullmatch(value):
            found = float(value)
            return 0.0 if math.isinf(found) and "inf" not in value.lower() else found
    return 0.0


def _cut(value: float) -> Int64:
    """What does not fit becomes the smallest, as on the processors that Go runs on here."""
    if not math.isfinite(value) or not _SMALLEST <= value <= _LARGEST:
        return Int64(_SMALLEST)
    return Int64(int(value)) if int(value) <= _LARGEST else Int64(_SMALLEST)


def _without_zeros(text: str) -> str:
    """`5.00` is 5; `5.5` is none."""
    whole, point, rest = text.rpartition(".")
    return whole if point and rest and not rest.strip("0") else text


def _parsed(text: str) -> int:
    if len(text) > _LONGEST or not _INTEGER.fullmatch(text):
        return 0
    sign, digits = (-1, text[1:]) if text[0] == "-" else (1, text.removeprefix("+"))
    digits = digits.replace("_", "")
    octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    value = sign * (int(digits, 8) if octal else int(digits, 0))
    return value if _SMALLEST <= value <= _LARGEST else 0


def int_(value: object) -> int:
    return int(as_int64(value))


def int64_(value: object) -> object:
    return as_int64(value)


def float64(value: object) -> float:
    return as_float(value)


def atoi(text: str) -> int:
    if len(text) > _LONGEST or not _DECIMAL.fullmatch(text):
        return 0
    return min(max(int(text), _SMALLEST), _LARGEST)


def to_decimal(value: object) -> object:
    """From octal digits."""
    text = formatting.text(value)
    if len(text) > _LONGEST or not re.fullmatch(r"[+-]?[0-7]+", text):
        return Int64(0)
    found = int(text, 8)
    return Int64(found) if _SMALLEST <= found <= _LARGEST else Int64(0)


def add(*values: object) -> object:
    return int64(sum(as_int64(one) for one in values))


def add1(value: object) -> object:
    return int64(as_int64(value) + 1)


def sub(left: object, right: object) -> object:
    return int64(as_int64(left) - as_int64(right))


def div(left: object, right: object) -> object:
    whole, by = as_int64(left), as_int64(right)
    return int64(_quotient(whole, by))


def mod(left: object, right: object) -> object:
    whole, by = as_int64(left), as_int64(right)
    return int64(whole - by * _quotient(whole, by))


def _quotient(whole: int, by: int) -> int:
    """Cut towards zero."""
    if by == 0:
        raise FunctionError("runtime error: integer divide by zero")
    return abs(whole) // abs(by) * (1 if (whole < 0) == (by < 0) else -1)


def mul(first: object, *others: object) -> object:
    found = as_int64(first)
    for one in others:
        found = int64(found * as_int64(one))
    return found


def max_(first: object, *others: object) -> object:
    return max(as_int64(one) for one in (first, *others))


def min_(first: object, *others: object) -> object:
    return min(as_int64(one) for one in (first, *others))


def maxf(first: object, *others: object) -> float:
    return max(as_float(one) for one in (first, *others))


def minf(first: object, *others: object) -> float:
    return min(as_float(one) for one in (first, *others))


def addf(*values: object) -> float:
    return _decimals(0.0, values, _CONTEXT.add)


def add1f(value: object) -> float:
    return _decimals(value, (1,), _CONTEXT.add)


def subf(first: object, *others: object) -> float:
    return _decimals(first, others, _CONTEXT.subtract)


def mulf(first: object, *others: object) -> float:
    return _decimals(first, others, _CONTEXT.multiply)


def divf(first: object, *others: object) -> float:
    return _decimals(first, others, _divided)


def _divided(left: Decimal, right: Decimal) -> Decimal:
    """To sixteen places, as upstream's library."""
    if not right:
        raise FunctionError("decimal division by 0")
    return _CONTEXT.divide(left, right).quantize(Decimal("1e-16"), rounding="ROUND_HALF_UP", context=_CONTEXT)


def _decimals(
    first: object, others: tuple[object, ...], operate: Callable[[Decimal, Decimal], Decimal]
) -> float:
    budget.items_of(len(others))
    try:
        found = _decimal(first)
        for one in others:
            found = operate(found, _decimal(one))
        return float(found) if found else 0.0
    except (InvalidOperation, OverflowError) as error:
        raise FunctionError("the numbers are too large") from error


def _decimal(value: object) -> Decimal:
    number = as_float(value)
    if not math.isfinite(number):
        raise FunctionError(f"Cannot create a Decimal from {formatting.text(number)}")
    return Decimal(repr(number))


def floor(value: object) -> float:
    number = as_float(value)
    return float(math.floor(number)) if math.isfinite(number) else number


def ceil(value: object) -> float:
    number = as_float(value)
    return float(math.ceil(number)) if math.isfinite(number) else number


def round_(value: object, places: int, *on: float) -> float:
    """Up from a rest of `on`, a half when nothing else is said."""
    try:
        power = 10.0**places
        digit = power * as_float(value)
        rest, _ = math.modf(digit)
        return (math.ceil(digit) if rest >= (on[0] if on else 0.5) else math.floor(digit)) / power
    except (OverflowError, ZeroDivisionError, ValueError) as error:
        raise FunctionError("the numbers are too large to be rounded") from error


def until(count: int) -> object:
    return until_step(0, count, -1 if count < 0 else 1)


def until_step(start: int, stop: int, step: int) -> object:
    if step == 0 or (stop < start) is (step > 0):
        return Ints()
    found = range(start, stop, step)
    budget.items_of(len(found))
    return Ints(found)


def seq(*numbers: int) -> str:
    match numbers:
        case (end,):
            start, step = 1, -1 if end < 1 else 1
            edge = step
        case (start, end):
            step = edge = -1 if end < start else 1
        case (start, step, end):
            edge = -1 if end < start else 1
            if end < start and step > 0:
                return ""
        case _:
            return ""
    found = until_step(start, end + edge, step)
    assert isinstance(found, Ints)
    return " ".join(map(str, found))


def rand_int(low: int, high: int) -> int:
    if high <= low:
        raise FunctionError("invalid argument to Intn")
    return low + randbelow(high - low)


FUNCTIONS: dict[str, Implementation] = {
    "add": add,
    "add1": add1,
    "add1f": add1f,
    "addf": addf,
    "atoi": atoi,
    "biggest": max_,
    "ceil": ceil,
    "div": div,
    "divf": divf,
    "float64": float64,
    "floor": floor,
    "int": int_,
    "int64": int64_,
    "max": max_,
    "maxf": maxf,
    "min": min_,
    "minf": minf,
    "mod": mod,
    "mul": mul,
    "mulf": mulf,
    "randInt": rand_int,
    "round": round_,
    "seq": seq,
    "sub": sub,
    "subf": subf,
    "toDecimal": to_decimal,
    "until": until,
    "untilStep": until_step,
}
