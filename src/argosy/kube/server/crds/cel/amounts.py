"""`quantity` and `semver`, which are compared by the same names. They are `{"quantity": …}`, in billionths, and `{"semver": …}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from argosy.kube import quantities
from argosy.kube.quantities import NANO

Amount: TypeAlias = Mapping[str, str]
_NUMBER = r"(0|[1-9][0-9]*)"
_WORD = r"[0-9A-Za-z-]+"
_VERSION = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_WORD}(?:\.{_WORD})*))?(?:\+({_WORD}(?:\.{_WORD})*))?", re.ASCII
)
_LOOSE = re.compile(r"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(.*)", re.ASCII | re.DOTALL)


def _quantity(text: str) -> dict[str, str]:
    return _amount(quantities.parse(text).nano)


def _amount(nano: int) -> dict[str, str]:
    return {"quantity": str(nano)}


def _is_quantity(text: str) -> bool:
    try:
        quantities.parse(text)
    except ValueError:
        return False
    return True


def _nano(one: Amount) -> int:
    if "quantity" not in one:
        raise ValueError("no such overload")
    return int(one["quantity"])


def _whole(one: Amount) -> int:
    nano = _nano(one)
    if nano % NANO:
        raise ValueError("cannot convert value to integer")
    return nano // NANO


def _sign(one: Amount) -> int:
    return _compared(_nano(one), 0)


def _semver(text: str, normalised: bool = False) -> dict[str, str]:
    text = _loosened(text) if normalised else text
    found = _VERSION.fullmatch(text)
    if found is None or any(_leads_with_zero(one) for one in (found[4] or "").split(".")):
        raise ValueError(f"invalid semantic version {text!r}")
    return {"semver": text}


def _loosened(text: str) -> str:
    found = _LOOSE.fullmatch(text)
    if found is None:
        return text
    return ".".join(str(int(one or "0")) for one in found.groups()[:3]) + found[4]


def _leads_with_zero(word: str) -> bool:
    return word.isdigit() and len(word) > 1 and word[0] == "0"


def _is_semver(text: str, normalised: bool = False) -> bool:
    try:
        _semver(text, normalised)
    except ValueError:
        return False
    return True


def _version(one: Amount) -> tuple[tuple[int, int, int], bool, list[tuple[bool, int, str]]]:
    """In the order of versions: a pre-release is before its release, words after numbers."""
    found = _VERSION.fullmatch(one.get("semver", ""))
    if found is None:
        raise ValueError("no such overload")
    words = [] if found[4] is None else found[4].split(".")
    ranks = [(not word.isdigit(), int(word) if word.isdigit() else 0, word) for word in words]
    return (int(found[1]), int(found[2]), int(found[3])), found[4] is None, ranks


def _order(one: Amount, other: Amount) -> int:
    if "quantity" in one:
        return _compared(_nano(one), _nano(other))
    return _compared(_version(one), _version(other))


def _compared(one: Any, other: Any) -> int:
    return int(one > other) - int(one < other)


FUNCTIONS: Final[Mapping[tuple[str, str], Callable[..., object]]] = {
    ("quantity", "string -> map"): _quantity,
    ("isQuantity", "string -> bool"): _is_quantity,
    ("sign", "map -> int"): _sign,
    ("sign", ".map -> int"): _sign,
    ("isInteger", ".map -> bool"): lambda one: _nano(one) % NANO == 0,
    ("asInteger", ".map -> int"): _whole,
    ("asApproximateFloat", ".map -> double"): lambda one: _nano(one) / NANO,
    ("add", ".map map -> map"): lambda one, other: _amount(_nano(one) + _nano(other)),
    ("add", ".map int -> map"): lambda one, more: _amount(_nano(one) + more * NANO),
    ("sub", ".map map -> map"): lambda one, other: _amount(_nano(one) - _nano(other)),
    ("sub", ".map int -> map"): lambda one, less: _amount(_nano(one) - less * NANO),
    ("semver", "string -> map"): _semver,
    ("semver", "string bool -> map"): _semver,
    ("isSemver", "string -> bool"): _is_semver,
    ("isSemver", "string bool -> bool"): _is_semver,
    ("major", ".map -> int"): lambda one: _version(one)[0][0],
    ("minor", ".map -> int"): lambda one: _version(one)[0][1],
    ("patch", ".map -> int"): lambda one: _version(one)[0][2],
    ("isGreaterThan", ".map map -> bool"): lambda one, other: _order(one, other) > 0,
    ("isLessThan", ".map map -> bool"): lambda one, other: _order(one, other) < 0,
    ("compareTo", ".map map -> int"): _order,
}
