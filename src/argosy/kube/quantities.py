"""Quantities (`500m`, `1.5Gi`, `1e3`): parsed, compared, and in the one form in which they are stored. Decoding canonicalises
each, rules compare them, schedulers and quotas add them up.

`canonical` is what the API server answers for what a client wrote. Amounts are exact: whole numbers of billionths, and
what is smaller is rounded up, as upstream does. Past `E` there is no decimal unit, and the stored text loses it, as upstream's does.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

NANO: Final = 10**9
MILLI_IN_NANO: Final = 10**6
_LARGEST_BINARY: Final = (2**63 - 1) * NANO
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX: Final = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX: Final = {exponent: suffix for suffix, exponent in _BINARY.items()}
_parts = re.compile(r"([+-]?)(?=[0-9.])([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)").fullmatch
_MOST_DIGITS: Final = 1000
_FURTHEST_EXPONENT: Final = 300

WRONG_FORMAT: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
WRONG_NUMBER: Final = "unable to parse numeric part of quantity"
WRONG_SUFFIX: Final = "unable to parse quantity's suffix"


class Quantity(NamedTuple):
    nano: int
    text: str
    """Canonical."""
    format: str = "decimal"

    @property
    def value(self) -> int:
        """Rounded up."""
        return -(-self.nano // NANO)

    @property
    def milli(self) -> int:
        return -(-self.nano // MILLI_IN_NANO)


def parse(written: object) -> Quantity:
    """ValueError, with upstream's words, for what is none. Numbers count as what they look like."""
    return _parsed(str(written).strip())


def canonical(written: object) -> str:
    return parse(written).text


def amount(written: object) -> int:
    """In billionths; what is absent or nonsense counts as nothing."""
    if written is None:
        return 0
    try:
        return parse(written).nano
    except ValueError:
        return 0


def in_milli(written: object) -> str:
    """Canonical, with whatever is finer than a thousandth rounded up: how resource lists are stored."""
    found = parse(written)
    if found.nano % MILLI_IN_NANO == 0:
        return found.text
    away = -(-abs(found.nano) // MILLI_IN_NANO) * MILLI_IN_NANO
    return _canonical(away if found.nano > 0 else -away, found.format)


def written(nano: int, form: str = "decimal") -> str:
    """A sum, as people write it; memory in the binary form."""
    return _canonical(nano, form)


def plus(left: Quantity, right: Quantity) -> Quantity:
    """Written as the first of them that is not zero."""
    form = left.format if left.nano else right.format
    return Quantity(left.nano + right.nano, _canonical(left.nano + right.nano, form), form)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Quantity:
    if len(text) > _MOST_DIGITS:
        raise ValueError(WRONG_NUMBER)
    found = _parts(text)
    if found is None:
        raise ValueError(WRONG_FORMAT)
    sign, whole, fraction, suffix = found[1], found[2].lstrip("0"), found[3] or "", found[4]
    if not whole and not fraction.strip("0") and not suffix:
        return Quantity(0, "0")
    base, exponent, form = _unit(suffix)
    digits = int((whole or "0") + fraction)
    places = len(fraction)
    if base == 2:
        nano = -(-digits * 2**exponent * NANO // 10**places)
        nano = min(nano, _LARGEST_BINARY)
        if 0 < nano < NANO:
            form = "decimal"
    else:
        shift = exponent - places + 9
        nano = digits * 10**shift if shift >= 0 else -(-digits // 10**-shift)
    nano = -nano if sign == "-" else nano
    if _kept(text, form, whole, fraction, exponent, digits):
        return Quantity(nano, text, form)
    return Quantity(nano, _canonical(nano, form), form)


def _unit(suffix: str) -> tuple[int, int, str]:
    if suffix in _DECIMAL:
        return 10, _DECIMAL[suffix], "decimal"
    if suffix in _BINARY:
        return 2, _BINARY[suffix], "binary"
    if suffix[0] in "eE" and re.fullmatch("[+-]?[0-9]+", suffix[1:]):
        exponent = int(suffix[1:])
        if abs(exponent) <= _FURTHEST_EXPONENT:
            return 10, exponent, "exponent"
    raise ValueError(WRONG_SUFFIX)


def _kept(text: str, form: str, whole: str, fraction: str, exponent: int, digits: int) -> bool:
    """Upstream keeps the text as written when a quick look says that it is canonical already."""
    written = (whole or "0") + fraction
    if form == "binary":
        room = 15 - len(written) - int(exponent * 3 / 10) - 1
        return not fraction and room >= 0 and digits & 7 != 0
    scale = exponent - len(fraction)
    fits = 18 - len(written) >= 0 and scale >= -9
    return fits and scale % 3 == 0 and not written.endswith("000") and written[0] != "0"


def _canonical(nano: int, form: str) -> str:
    if nano == 0:
        return "0"
    if form == "binary":
        if -1024 * NANO < nano < 1024 * NANO or nano % NANO:
            form = "decimal"
        else:
            return _binary(nano // NANO)
    digits, exponent = nano, -9
    while digits % 1000 == 0:
        digits //= 1000
        exponent += 3
    if form == "exponent":
        return f"{digits}e{exponent}" if exponent else str(digits)
    return f"{digits}{_DECIMAL_SUFFIX.get(exponent, '')}"


def _binary(whole: int) -> str:
    exponent = 0
    while whole % 1024 == 0:
        whole //= 1024
        exponent += 10
    return f"{whole}{_BINARY_SUFFIX.get(exponent, '')}"
