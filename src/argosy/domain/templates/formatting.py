"""Go's `fmt`: how values become text. Maps are sorted, nil is `<nil>`, and a verb that does not suit a value says so in the text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from argosy.domain.templates import budget, floats
from argosy.domain.templates.quoting import is_printed, quoted
from argosy.domain.templates.values import NOTHING, octets, type_of

_WIDEST = 1_000_000
_VERB = re.compile(
    r"%(?P<flags>[-+# 0]*)(?:\[(?P<width_of>\d+)\](?=\*))?(?P<width>\*|\d+)?(?:\.(?P<precision>(?:\[\d+\])?\*|\d*))?(?:\[(?P<of>\d+)\])?(?P<verb>.)?",
    re.DOTALL,
)


class Shown(Protocol):
    """A value that says itself how it is written (`String` in Go)."""

    def shown(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Form:
    verb: str = "v"
    minus: bool = False
    plus: bool = False
    sharp: bool = False
    space: bool = False
    zero: bool = False
    width: int | None = None
    precision: int | None = None

    def padded(self, text: str, *, zero: bool = False) -> str:
        if self.width is None:
            return text
        budget.text_of(self.width)
        missing = self.width - len(text)
        if missing <= 0:
            return text
        if self.minus:
            return text + " " * missing
        if zero and self.zero:
            sign = text[:1] if text[:1] in {"+", "-", " "} else ""
            return sign + "0" * missing + text[len(sign) :]
        return " " * missing + text


_PLAIN = Form()


def printed(value: object) -> str:
    """What an action writes."""
    if value is NOTHING or value is None:
        return "<no value>"
    return value if isinstance(value, str) else formatted(value, _PLAIN)


def text(value: object) -> str:
    """`%v`"""
    return formatted(value, _PLAIN)


def sprint(values: Sequence[object]) -> str:
    """With a space between two neighbours of which neither is a text."""
    parts: list[str] = []
    for at, value in enumerate(values):
        if at and not isinstance(value, str) and not isinstance(values[at - 1], str):
            parts.append(" ")
        parts.append(text(value))
    return "".join(parts)


def sprintf(format: str, values: Sequence[object]) -> str:
    return _Printf(values).all(format)


class _Printf:
    def __init__(self, values: Sequence[object]) -> None:
        self._values, self._next, self._reordered = values, 0, False

    def all(self, format: str) -> str:
        parts: list[str] = []
        at = length = 0
        while True:
            sign = format.find("%", at)
            parts.append(format[at:] if sign < 0 else format[at:sign])
            length += len(parts[-1])
            if sign < 0:
                break
            found = _VERB.match(format, sign)
            assert found is not None
            parts.append(self._one(found))
            length += len(parts[-1])
            budget.text_of(length)
            at = found.end()
        if not self._reordered and self._next < len(self._values):
            extra = ", ".join(
                f"{type_of(one)}={text(one)}" if one is not None else "<nil>"
                for one in self._values[self._next :]
            )
            parts.append(f"%!(EXTRA {extra})")
        return "".join(parts)

    def _one(self, found: re.Match[str]) -> str:
        width, complaint = self._star(found["width_of"], found["width"], "WIDTH")
        wanted = found["precision"]
        precision, more = self._star(None, wanted, "PREC") if wanted is not None else (None, "")
        if wanted == "":
            precision = 0
        flags, verb = found["flags"], found["verb"]
        left = "-" in flags or (width is not None and width < 0)
        form = Form(
            verb or "",
            left,
            "+" in flags and verb != "v",  # there it asks for names of fields
            "#" in flags,
            " " in flags,
            "0" in flags and not left,
            None if width is None else abs(width),
            precision if precision is None or precision >= 0 else None,
        )
        return complaint + more + self._verb(form, found["of"])

    def _verb(self, form: Form, of: str | None) -> str:
        if not form.verb:
            return "%!(NOVERB)"
        if form.verb == "%":
            return "%"
        if of is not None:
            self._reordered = True
            self._next = int(of) - 1
            if not 0 <= self._next < len(self._values):
                return f"%!{form.verb}(BADINDEX)"
        if self._next >= len(self._values):
            return f"%!{form.verb}(MISSING)"
        value = self._values[self._next]
        self._next += 1
        return formatted(value, form)

    def _star(self, of: str | None, said: str | None, what: str) -> tuple[int | None, str]:
        if said is None or said == "":
            return None, ""
        if said[-1] != "*":
            return (int(said), "") if len(said) < 8 and int(said) <= _WIDEST else (None, f"%!(BAD{what})")
        index = of or said[1:-2] or None
        if index is not None:
            self._reordered, self._next = True, int(index) - 1
        if not 0 <= self._next < len(self._values):
            return None, f"%!(BAD{what})"
        value = self._values[self._next]
        self._next += 1
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _WIDEST:
            return None, f"%!(BAD{what})"
        return int(value), ""


def formatted(value: object, form: Form, depth: int = 0) -> str:
    budget.spend()
    if form.verb == "T":
        return form.padded("<nil>" if value is None else type_of(value))
    if value is None or value is NOTHING:
        return form.padded("<nil>") if form.verb == "v" else f"%!{form.verb}(<nil>)"
    if isinstance(value, str):
        return _string(value, form)
    if isinstance(value, bool):
        return form.padded(str(value).lower()) if form.verb in "tv" else _bad(value, form)
    if isinstance(value, int):
        return _integer(value, form)
    if isinstance(value, float):
        return _float(value, form)
    if isinstance(value, dict | list):
        return _many(value, form, budget.deeper(depth))
    return _string(_said(value), form) if form.verb in "vsqxX" else _bad(value, form)


def _said(value: object) -> str:
    said = getattr(type(value), "shown", None)
    return str(said(value)) if said is not None else type_of(value)


def _many(value: dict[str, object] | list[object], form: Form, depth: int) -> str:
    if form.sharp and form.verb == "v":
        return _go_syntax(value, form, depth)
    if isinstance(value, list):
        return _joined("[", [_inside(one, form, depth) for one in value], "]")
    parts = [f"{_inside(key, form, depth)}:{_inside(value[key], form, depth)}" for key in sorted(value)]
    return _joined("map[", parts, "]")


def _go_syntax(value: dict[str, object] | list[object], form: Form, depth: int) -> str:
    if isinstance(value, list):
        parts = [_inside(one, form, depth) for one in value]
    else:
        parts = [f"{_inside(key, form, depth)}:{_inside(value[key], form, depth)}" for key in sorted(value)]
    return _joined(f"{type_of(value)}{{", parts, "}", between=", ")


def _inside(value: object, form: Form, depth: int) -> str:
    if value is None:
        return "interface {}(nil)" if form.sharp and form.verb == "v" else form.padded("<nil>")
    return formatted(value, form, depth)


def _joined(before: str, parts: list[str], after: str, *, between: str = " ") -> str:
    budget.text_of(sum(map(len, parts)) + len(parts))
    return before + between.join(parts) + after


def _string(value: str, form: Form) -> str:
    budget.text_of(len(value))
    match form.verb:
        case "v" if form.sharp:
            return form.padded(quoted(value))
        case "v" | "s":
            return form.padded(value if form.precision is None else value[: form.precision], zero=True)
        case "q":
            short = value if form.precision is None else value[: form.precision]
            if form.sharp and "`" not in short and short.isprintable():
                return form.padded(f"`{short}`")
            return form.padded(quoted(short, only_ascii=form.plus))
        case "x" | "X":
            data = octets(value)[: form.precision]
            found = data.hex(" ") if form.space else data.hex()
            if form.sharp and found:
                found = " ".join(f"0x{one}" for one in found.split(" "))
            return form.padded(found.upper() if form.verb == "X" else found)
    return _bad(value, form)


_BASES = {"v": "d", "d": "d", "b": "b", "o": "o", "O": "o", "x": "x", "X": "X"}
_PREFIXES = {"b": "0b", "o": "0", "x": "0x", "X": "0X"}


def _integer(value: int, form: Form) -> str:
    number = int(value)
    match form.verb:
        case "c":
            return form.padded(_rune(number))
        case "q":
            return form.padded(quoted(_rune(number), quote="'", only_ascii=form.plus))
        case "U":
            name = f"U+{number:04X}"
            return form.padded(
                f"{name} '{_rune(number)}'" if form.sharp and is_printed(_rune(number)) else name
            )
        case verb if verb in _BASES:
            digits = f"{abs(number):{_BASES[verb]}}"
            if form.precision is not None:
                digits = "" if form.precision == 0 and number == 0 else digits.rjust(form.precision, "0")
            prefix = "0o" if verb == "O" else _PREFIXES.get(verb, "") if form.sharp else ""
            return form.padded(_signed(number < 0, form) + prefix + digits, zero=form.precision is None)
    return _bad(value, form)


def _rune(code: int) -> str:
    return chr(code) if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"


def _signed(negative: bool, form: Form) -> str:
    return "-" if negative else "+" if form.plus else " " if form.space else ""


def _float(value: float, form: Form) -> str:
    verb = "g" if form.verb == "v" else "f" if form.verb == "F" else form.verb
    if verb not in "eEfgG":
        return _bad(value, form)
    if not math.isfinite(value):
        found = floats.infinite(value)
        return replace(form, zero=False).padded(found if form.plus else found.removeprefix("+"))
    if verb in "gG" and form.precision is None:
        found = floats.shortest(abs(value))
        found = found.upper() if verb == "G" else found
    else:
        found = f"{abs(value):.{6 if form.precision is None else form.precision}{verb}}"
    negative = value < 0 or (value == 0 and str(value)[0] == "-")
    return form.padded(_signed(negative, form) + found, zero=True)


def _bad(value: object, form: Form) -> str:
    return f"%!{form.verb}({type_of(value)}={formatted(value, _PLAIN)})"
