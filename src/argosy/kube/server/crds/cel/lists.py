"""`isSorted`, `sum`, `min` and `max` of lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final


def _is_sorted(values: Sequence[Any]) -> bool:
    return all(one <= other for one, other in pairwise(values))


def _sum(values: Sequence[Any]) -> Any:
    return sum(values)


def _least(values: Sequence[Any]) -> Any:
    if not values:
        raise ValueError("min called on empty list")
    return min(values)


def _most(values: Sequence[Any]) -> Any:
    if not values:
        raise ValueError("max called on empty list")
    return max(values)


FUNCTIONS: Final[Mapping[tuple[str, str], Callable[..., object]]] = {
    ("isSorted", ".list -> bool"): _is_sorted,
    ("sum", ".list -> any"): _sum,
    ("min", ".list -> any"): _least,
    ("max", ".list -> any"): _most,
}
