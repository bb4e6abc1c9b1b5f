"""One step of a path in `managedFields`, in the text form that is stored: `f:spec`, `k:{"name":"web"}`, `v:"a"`, `i:0`.

Two elements are the same when their texts are: `canonical` makes them so for what clients write themselves. Field sets
(`fieldset`) are made of these; `told` and `place` are for conflicts, which name paths in a fixed order.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache

from argosy.kube.server.patches.go_text import number, quoted

_ESCAPED = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_RARE = {"\\b": "\\u0008", "\\f": "\\u000c"}
_RARE_ESCAPES = re.compile(r'\\(?:["\\nrtu]|[bf])')
_BITS = 64
"""JSON here has no longer integers; one that came by another way is as good as none."""
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


class BadElement(ValueError):
    """Not an element that can be read."""


def of_field(name: str) -> str:
    return "f:" + name


@lru_cache(maxsize=8192, typed=True)
def of_value(value: object) -> str:
    """Of an item of a set."""
    return "v:" + text(value)


def of_key(item: object, keys: tuple[str, ...], defaults: Mapping[str, object]) -> str:
    """Of an item of a map list. `BadElement` says what is wrong with the item."""
    if item is None:
        raise BadElement("associative list with keys may not have a null element")
    if not isinstance(item, dict):
        raise BadElement("associative list with keys may not have non-map elements")
    if len(keys) == 1:
        value = item[keys[0]] if keys[0] in item else defaults.get(keys[0])
        if isinstance(value, str):
            return _text_key(keys[0], value)
    found = {
        key: item[key] if key in item else defaults[key] for key in keys if key in item or key in defaults
    }
    if not found:
        listed = "[" + " ".join(quoted(key) for key in keys) + "]"
        raise BadElement(
            f"associative list with keys has an element that omits all key fields {listed} "
            "(and doesn't have default values for any key fields)"
        )
    return _key(found)


def of_item(item: object, keys: tuple[str, ...], defaults: Mapping[str, object]) -> str:
    """Of an item of a map list, or of a set when there are no keys."""
    if keys:
        return of_key(item, keys, defaults)
    if isinstance(item, dict):
        raise BadElement("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise BadElement("not supported: associative list with lists as elements")
    if item is None:
        raise BadElement("associative list without keys has an element that's an explicit null")
    return of_value(item)


@lru_cache(maxsize=8192)
def canonical(element: str) -> str:
    """The same element as we would write it, or nothing for a kind that we do not know."""
    if len(element) < 2:
        raise BadElement("key must be 2 characters long:")
    if element[1] != ":":
        raise BadElement(f"missing colon: {element}")
    match element[0]:
        case "f":
            return element
        case "v":
            return "v:" + text(_parsed(element[2:]))
        case "k":
            found = _parsed(element[2:])
            if not isinstance(found, dict):
                raise BadElement(f"expect {{, but found {element[2:3]}")
            return _key(found)
        case "i":
            if not _INTEGER.fullmatch(element[2:]):
                raise BadElement(f"strconv.Atoi: parsing {quoted(element[2:])}: invalid syntax")
            return f"i:{int(element[2:])}" if len(element) < 24 else ""
    return ""


@lru_cache(maxsize=8192)
def place(element: str) -> tuple[object, ...]:
    """Where it is sorted: fields, keys, values, indices."""
    match element[0]:
        case "f":
            return (0, element)
        case "k":
            return (1, [(name, _rank(value)) for name, value in _parsed_key(element).items()])
        case "v":
            return (2, _rank(_parsed(element[2:])))
    return (3, int(element[2:]) if element[0] == "i" else 0)


@lru_cache(maxsize=8192)
def told(element: str) -> str:
    """As messages name it: `.spec`, `[name="web"]`, `[="a"]`."""
    match element[0]:
        case "f":
            return "." + element[2:]
        case "k":
            pairs = [f"{name}={_shown(value)}" for name, value in _parsed_key(element).items()]
            return "[" + ",".join(pairs) + "]"
        case "v":
            return f"[={_shown(_parsed(element[2:]))}]"
    return f"[{element[2:]}]"


def text(value: object) -> str:
    """JSON as it stands inside an element."""
    if isinstance(value, str):
        written = json.dumps(value, ensure_ascii=False)
        if "\\" in written:
            written = _RARE_ESCAPES.sub(lambda found: _RARE.get(found[0], found[0]), written)
        return written.translate(_ESCAPED)
    if isinstance(value, float):
        return number(value) if math.isfinite(value) else "null"
    if isinstance(value, int) and value.bit_length() > _BITS:
        return "null"
    if isinstance(value, dict):
        return "{" + ",".join(f"{text(name)}:{text(value[name])}" for name in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(text(one) for one in value) + "]"
    return json.dumps(value)


@lru_cache(maxsize=8192)
def _text_key(name: str, value: str) -> str:
    return _key({name: value})


def _key(found: Mapping[str, object]) -> str:
    return "k:{" + ",".join(f"{text(name)}:{text(found[name])}" for name in sorted(found)) + "}"


def _parsed(written: str) -> object:
    try:
        value: object = json.loads(written, parse_constant=_refused)
    except ValueError as error:
        raise BadElement(str(error)) from None
    return value


def _parsed_key(element: str) -> dict[str, object]:
    value = _parsed(element[2:])
    return value if isinstance(value, dict) else {}


def _refused(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def _rank(value: object) -> tuple[int, object]:
    """Numbers, texts, booleans, the rest: how values of any type compare."""
    if isinstance(value, bool):
        return (2, value)
    if isinstance(value, int | float):
        return (0, value)
    if isinstance(value, str):
        return (1, value)
    return (3, text(value))


def _shown(value: object) -> str:
    match value:
        case str():
            return quoted(value)
        case list():
            return "[" + ",".join(map(_shown, value)) + "]"
        case dict():
            return "".join(f"{name}={_shown(below)}" for name, below in value.items())
    return text(value)
