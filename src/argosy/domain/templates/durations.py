"""Go's durations: `1h30m`, in nanoseconds."""

from __future__ import annotations

import re
from decimal import Decimal

from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.quoting import quoted

_PARTS = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_UNITS = {
    "ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6,
    "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9,
}  # fmt: skip
_LONGEST = 100
_ROUND = (
    ("y", 365 * 24 * 3600), ("mo", 30 * 24 * 3600), ("d", 24 * 3600), ("h", 3600), ("m", 60), ("s", 1),
)  # fmt: skip


def parse(text: str) -> int:
    sign, rest = (-1, text[1:]) if text.startswith("-") else (1, text.removeprefix("+"))
    if rest == "0":
        return 0
    total, at = Decimal(0), 0
    while at < len(rest) <= _LONGEST and (found := _PARTS.match(rest, at)):
        total += Decimal(found[1]) * _UNITS[found[2]]
        at = found.end()
    if not rest or at < len(rest) or total >= 2**63:
        raise FunctionError(f"time: invalid duration {quoted(text)}")
    return sign * int(total)


def shown(nanoseconds: int) -> str:
    if nanoseconds == 0:
        return "0s"
    sign, rest = "-" if nanoseconds < 0 else "", abs(nanoseconds)
    for unit, size in (("ns", 10**3), ("µs", 10**6), ("ms", 10**9)):
        if rest < size:
            return f"{sign}{_decimal(rest, size // 1000)}{unit}"
    minutes, rest = divmod(rest, _UNITS["m"])
    hours, minutes = divmod(minutes, 60)
    text = f"{_decimal(rest, 10**9)}s"
    if hours or minutes:
        text = f"{minutes}m{text}"
    return f"{sign}{f'{hours}h' if hours else ''}{text}"


def _decimal(value: int, unit: int) -> str:
    whole, rest = divmod(value, unit)
    digits = f"{rest:0{len(str(unit)) - 1}d}".rstrip("0") if rest else ""
    return f"{whole}.{digits}" if digits else str(whole)


def rounded(nanoseconds: int) -> str:
    """In the largest unit that it is longer than."""
    found = abs(nanoseconds)
    return next((f"{found // (size * 10**9)}{unit}" for unit, size in _ROUND if found > size * 10**9), "0s")
