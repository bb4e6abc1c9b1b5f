"""Numbers against a schema: their range, their bounds, what they are multiples of."""

from __future__ import annotations

from collections.abc import Callable

from argosy.kube.objects import Object
from argosy.kube.server.crds import mistakes
from argosy.kube.server.crds.mistakes import Wrong

_SAFE = 2**53 - 1
_BITS = {"int32": 31, "int64": 63}
_MOST_SINGLE = 3.4028235677973366e38
_BOUNDS: tuple[tuple[str, str, str, Callable[[float, float], bool]], ...] = (
    ("minimum", "exclusiveMinimum", "greater than", lambda value, limit: value < limit),
    ("maximum", "exclusiveMaximum", "less than", lambda value, limit: value > limit),
)


def check(
    raw: Object, types: tuple[str, ...], format: str, value: float, path: str, wrong: list[Wrong]
) -> None:
    """Adds to `wrong`. Limits that are no numbers of the type themselves are told too, and then compared as any numbers."""

    def in_range(number: float, what: str) -> bool:
        if _is_of(types, format, number):
            return True
        form = f"with format {format}" if format else "(default format)"
        told = f"{what} value must be of type {types[0]} {form} in {path}"
        wrong.append(mistakes.composed(told))
        return False

    in_range(value, "Checked")
    factor = raw.get("multipleOf")
    if factor is not None:
        exact = in_range(factor, "MultipleOf")
        _multiple(value, factor, path, wrong, exact=exact)
    for key, exclusive, words, beyond in _BOUNDS:
        limit = raw.get(key)
        if limit is None:
            continue
        exact = in_range(limit, f"{key.title()} boundary")
        bound = int(limit) if exact and isinstance(value, int) else float(limit)
        number = value if exact else float(value)
        strict = bool(raw.get(exclusive))
        if beyond(number, bound) or (strict and number == bound):
            told = f"should be {words}{'' if strict else ' or equal to'} {mistakes.shown(bound)}"
            wrong.append(mistakes.invalid(path, number, told))


def _is_of(types: tuple[str, ...], format: str, value: float) -> bool:
    if types == ("integer",):
        bits = _BITS.get(format, 63)
        return (isinstance(value, int) or value.is_integer()) and -(1 << bits) <= value < 1 << bits
    return types != ("number",) or format != "float" or abs(value) < _MOST_SINGLE


def _multiple(value: float, factor: float, path: str, wrong: list[Wrong], *, exact: bool) -> None:
    if exact and isinstance(value, int):
        factor = int(factor)
    if factor <= 0:
        wrong.append(mistakes.not_positive(path, factor))
        return
    if isinstance(value, int) and isinstance(factor, int):
        fits = value % factor == 0
    else:
        ratio = 1 / factor * value if factor < 1 else value / factor
        fits = abs(ratio) <= _SAFE and abs(ratio - round(ratio)) <= 1e-9 * max(abs(ratio), 1)
    if not fits:
        wrong.append(mistakes.invalid(path, value, f"should be a multiple of {mistakes.shown(factor)}"))
