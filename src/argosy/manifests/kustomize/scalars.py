"""Scalars as Go's two YAML libraries read them, with as much of their writing as the output depends on.

Upstream works on YAML nodes: a value keeps its text, its tag and its quotes while patches and transformers move it about, and only at the end is it
decided what it is. Here values are plain Python ones, and only where the writing matters they are one of three others: `Quoted` (a text
that stood in quotes: a number that a patch puts in its place becomes a text too), `Odd` (`0644`, `1.10`, `~`, an empty null: the
text is not the one that the value would be written with), `Fresh` (a scalar that a transformer made and has not filled yet). `plain` takes all three away.
"""

from __future__ import annotations

import math
import re
from datetime import datetime
from typing import Any, Final

Scalar = Any  # str, int, float, bool, None, or one of the three below


class Quoted(str):
    """A text in quotes, double ones if nothing else is said."""

    __slots__ = ()


class Single(Quoted):
    __slots__ = ()


class Block(Quoted):
    __slots__ = ()


class Fresh(str):
    """Has neither tag nor quotes yet: becomes whatever its text looks like."""

    __slots__ = ()


class OddKey(str):
    """A key that is no text in YAML (`8080:`). What it becomes in JSON is seen in the end."""

    __slots__ = ()


class Odd:
    """A number, bool, null or moment with a text of its own."""

    __slots__ = ("text", "value")

    def __init__(self, value: str | float | bool | None, text: str) -> None:
        self.value, self.text = value, text

    def __repr__(self) -> str:
        return self.text or "null"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Odd) and (self.value, self.text) == (other.value, other.text)

    def __hash__(self) -> int:
        return hash((self.value, self.text))


EMPTY: Final = Odd(None, "")
"""The null of `key:` with nothing behind it."""

EMPTY_IN_FLOW: Final = Odd(None, "")
"""The one of `{key: }`. Upstream loses it on the way out: it becomes an empty text."""

_NEVER_TEXT = frozenset("+-.0123456789~nNtTfF")
"""What begins like this may be something else than a text."""
_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **{sign + word: math.inf for word in (".inf", ".Inf", ".INF") for sign in ("", "+")},
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
OLD_WORDS: Final[dict[str, bool]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), False),
}
"""What YAML 1.1 reads as booleans."""
_INTEGER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_LONGEST_NUMBER = 400


def resolve(text: str) -> Scalar:
    """A plain scalar as kyaml reads it (YAML 1.2 with old octals)."""
    if not text:
        return EMPTY
    if text[0] not in _NEVER_TEXT:
        return text
    if text in _WORDS:
        value = _WORDS[text]
        return value if text in {"true", "false", "null"} else Odd(value, text)
    if (moment := _moment(text)) is not None:
        return Odd(moment, text) if moment != text else text
    number = _number(text)
    if number is None:
        return text
    return number if str(number) == text else Odd(number, text)


def resolve_old(text: str) -> str | int | float | bool | None:
    """A plain scalar as `sigs.k8s.io/yaml` reads it (YAML 1.1): kustomization files, transformer configurations, JSON patches."""
    if text in OLD_WORDS:
        return OLD_WORDS[text]
    value = resolve(text)
    if type(value) is Odd:
        return text if isinstance(value.value, str) else value.value
    return value  # type: ignore[no-any-return] # a scalar


_MOMENT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)"
    r"| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?)?",
    re.ASCII,
)


def _moment(text: str) -> str | None:
    """A date or time as Go writes it: `2024-01-02` has a time of day in the output."""
    found = _MOMENT.fullmatch(text) if len(text) >= 8 and text[4] == "-" else None
    if found is None:
        return None
    year, month, day, *clock = found.groups()
    hour, minute, second, fraction, zone = (*clock[:5],) if clock[0] else (*clock[5:], "Z")
    try:
        at = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0))  # noqa: DTZ001 - its zone is kept as text
    except ValueError:
        return None
    digits = (fraction or "").rstrip("0")
    zone = "Z" if zone in {"+00:00", "-00:00"} else zone
    return f"{at.isoformat()}{f'.{digits}' if digits else ''}{zone}"


def _number(text: str) -> int | float | None:
    if text[0] in "~nNtTfF" or len(text) > _LONGEST_NUMBER:
        return None
    digits = text if text[0] == "." else text.replace("_", "")
    if _INTEGER.fullmatch(digits):
        value = _integer(digits)
        if -(2**63) <= value < 2**64:
            return value
    if _FLOAT.fullmatch(digits):
        number = float(digits)
        return None if math.isinf(number) else number
    return None


def _integer(digits: str) -> int:
    sign, body = (-1, digits[1:]) if digits[0] == "-" else (1, digits.lstrip("+"))
    if len(body) > 1 and body[0] == "0" and body[1].isdigit():
        return sign * int(body, 8)
    return sign * int(body, 0)


def is_null(value: Scalar) -> bool:
    return value is None or (type(value) is Odd and value.value is None)


def is_scalar(value: Scalar) -> bool:
    return not isinstance(value, dict | list)


def text_of(value: Scalar) -> str:
    """What stood there, for comparisons by text. Empty for mappings and lists."""
    if isinstance(value, str):
        return value
    if type(value) is Odd:
        return value.text
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    return go_number(value) if isinstance(value, int | float) else ""


def go_number(value: float) -> str:
    """As Go writes it into YAML."""
    if isinstance(value, int):
        return str(value)
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return repr(value)


def written(old: Scalar, new: Scalar) -> Scalar:
    """`new` in the place of the scalar `old`: its quotes stay where they are."""
    if isinstance(old, Quoted):
        return type(old)(text_of(new))
    return str(new) if isinstance(new, Quoted) else new


def text_written(old: Scalar, text: str) -> Scalar:
    """A text that is surely one, in the place of `old`."""
    return type(old)(text) if isinstance(old, Quoted) else text


def untagged(old: Scalar, text: str) -> Scalar:
    """A text in the place of the scalar `old`; without quotes around it, it becomes what it looks like."""
    return type(old)(text) if isinstance(old, Quoted) else resolve(text)


def new_text(text: str) -> str:
    """A text where nothing stood before: in quotes if it would be read as something else."""
    return text if type(resolve(text)) is str and text not in OLD_WORDS else Quoted(text)


def text_that_is_read_again(text: str) -> str:
    """Without tag and quotes, wherever it goes: an empty one ends as null."""
    return text if type(resolve(text)) is str else Fresh(text)


def retexted(old: Scalar, text: str) -> Scalar:
    """`old` with another text, but with its tag and its quotes. Raises `ValueError` when text and tag do not fit."""
    kind = type(old)
    if isinstance(old, Quoted):
        return type(old)(text)
    if kind is str:
        return text
    value = resolve(text)
    if kind is Fresh or _tag(value) == _tag(old) or (_tag(old) == "!!float" and _tag(value) == "!!int"):
        return value
    raise ValueError(f"cannot decode {_tag(value)} as a {_tag(old)}")


def _tag(value: Scalar) -> str:
    held = value.value if type(value) is Odd else value
    if held is None:
        return "!!null"
    if isinstance(held, bool):
        return "!!bool"
    return "!!int" if isinstance(held, int) else "!!float" if isinstance(held, float) else "!!str"


def quoted(text: str, style: str) -> Quoted:
    """`style` as in YAML: `'`, `"`, `|` or `>`."""
    return (Single if style == "'" else Block if style in {"|", ">"} else Quoted)(text)


def tagged(text: str, tag: str) -> Scalar:
    """With an explicit tag."""
    if tag == "str":
        return Quoted(text)
    value = resolve(text)
    if _tag(value) == f"!!{tag}" or (tag == "float" and _tag(value) == "!!int"):
        return value
    raise ValueError(f"cannot decode {_tag(value)} as a !!{tag}")
