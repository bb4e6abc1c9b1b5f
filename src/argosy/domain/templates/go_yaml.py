"""YAML as upstream's library reads and writes it: through JSON, so that all numbers are floats and all keys are texts.

For `toYaml`, `fromYaml`, `fromYamlArray`, for lists of elements in YAML, and for the files of Git generators.
"""

from __future__ import annotations

import math
import re
from functools import cmp_to_key

import yaml as pyyaml

from argosy.domain.templates import budget, floats, layouts
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.values import Moment, valid
from argosy.kit import yaml
from argosy.kit.errors import BadRequest

_CORE = "tag:yaml.org,2002:"
_STRING, _FLOAT, _INT = f"{_CORE}str", f"{_CORE}float", f"{_CORE}int"
_TRUE = ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")
_FALSE = ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
_NULL = ("", "~", "null", "Null", "NULL")
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|0[0-7_]*|[1-9][0-9_]*)", re.ASCII)
_REAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?: [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?"
    r"|[Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2}))?",
    re.ASCII,
)
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?", re.ASCII)
_LONGEST_NUMBER = 400
_MOST_BYTES = 4 * 1024 * 1024


class BadYaml(FunctionError):
    pass


def read(text: str | bytes) -> object:
    """The first document. `BadYaml` says what is wrong."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    if len(data) > _MOST_BYTES:
        raise BadYaml(f"the YAML is larger than {_MOST_BYTES} bytes")
    budget.spend(len(data) >> 4)
    try:
        yaml.check_shape(data)
        return _value(_first(data))
    except pyyaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise BadYaml(f"yaml: {f'line {mark.line + 1}: ' if mark else ''}{error.problem}") from error
    except (pyyaml.YAMLError, ValueError) as error:
        raise BadYaml(f"yaml: {error}") from error
    except BadRequest as error:
        raise BadYaml(f"yaml: {error.message}") from error


def _first(data: bytes) -> pyyaml.Node | None:
    loader = pyyaml.CSafeLoader(data)
    try:
        return loader.get_node() if loader.check_node() else None
    finally:
        loader.dispose()


def _value(node: pyyaml.Node | None) -> object:
    budget.spend()
    match node:
        case pyyaml.MappingNode():
            return _mapping(node)
        case pyyaml.SequenceNode():
            return [_value(one) for one in node.value]
        case pyyaml.ScalarNode():
            return _scalar(node.value, plain=not node.style and node.tag != "!")
    return None


def _mapping(node: pyyaml.MappingNode) -> dict[str, object]:
    merged: dict[str, object] = {}
    made: dict[str, object] = {}
    for key, inner in node.value:
        if isinstance(key, pyyaml.ScalarNode) and key.value == "<<" and not key.style:
            for one in inner.value if isinstance(inner, pyyaml.SequenceNode) else (inner,):
                if not isinstance(one, pyyaml.MappingNode):
                    raise BadYaml("yaml: map merge requires map or sequence of maps as the value")
                merged = {**_mapping(one), **merged}
            continue
        made[_key(key)] = _value(inner)
    return {**merged, **made}


def _key(node: pyyaml.Node) -> str:
    found = _value(node)
    match found:
        case str():
            return found
        case bool():
            return str(found).lower()
        case float():
            return floats.json_number(found)
    raise BadYaml(f"yaml: line {node.start_mark.line + 1}: a key must be a word or a number")


def _scalar(text: str, *, plain: bool) -> object:
    if not plain:
        return text
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if text in _NULL:
        return None
    if len(text) > _LONGEST_NUMBER:
        return text
    if _INTEGER.fullmatch(text):
        return _integer(text.replace("_", ""))
    if _REAL.fullmatch(text):
        found = float(text.replace("_", ""))
        return text if math.isinf(found) else found
    if _NOT_FINITE.fullmatch(text):
        raise BadYaml("error converting YAML to JSON: json: unsupported value")
    return text


def _integer(text: str) -> object:
    sign, digits = (-1.0, text[1:]) if text[0] == "-" else (1.0, text.removeprefix("+"))
    try:
        octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
        return sign * float(int(digits, 8) if octal else int(digits, 0))
    except (ValueError, OverflowError):
        return text


class _Dumper(pyyaml.CSafeDumper):
    """Takes for a number what this module reads as one."""


_Dumper.yaml_implicit_resolvers = {}


_Dumper.add_implicit_resolver(f"{_CORE}bool", re.compile("true|false"), list("tf"))
_Dumper.add_implicit_resolver(f"{_CORE}null", re.compile("null"), ["n"])
_Dumper.add_implicit_resolver(_INT, re.compile(r"-?(?:0|[1-9][0-9]*)$"), list("-0123456789"))
_Dumper.add_implicit_resolver(
    _FLOAT, re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]+)?$"), list("-0123456789")
)


def _represent_text(dumper: pyyaml.CSafeDumper, text: str) -> pyyaml.ScalarNode:
    style = '"' if _means_something(text) else "|" if "\n" in text else None
    return dumper.represent_scalar(_STRING, text, style=style)


def _represent_number(dumper: pyyaml.CSafeDumper, value: float) -> pyyaml.ScalarNode:
    """Whole numbers as such: JSON told no difference."""
    if value == int(value) and abs(value) < 1e21:
        return dumper.represent_scalar(_INT, str(int(value)))
    return dumper.represent_scalar(_FLOAT, floats.shortest(value))


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(float, _represent_number)
_Dumper.ignore_aliases = lambda *_: True  # type: ignore[method-assign]


def _means_something(text: str) -> bool:
    """Without quotes it would be read as something else."""
    return (
        text in _TRUE
        or text in _FALSE
        or text in _NULL
        or bool(_INTEGER.fullmatch(text) or _REAL.fullmatch(text) or _NOT_FINITE.fullmatch(text))
        or bool(_TIME.fullmatch(text) or _SEXAGESIMAL.fullmatch(text))
    )


def written(value: object) -> str:
    """Without a line's end after the last line."""
    dumped = pyyaml.dump(
        _plain(value),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
    )
    text = str(dumped).removesuffix("...\n")
    budget.text_of(len(text))
    return text.removesuffix("\n")


def _plain(value: object, depth: int = 0) -> object:
    """As JSON would have told it, maps in order."""
    budget.spend()
    if isinstance(value, dict):
        depth = budget.deeper(depth)
        return {key: _plain(value[key], depth) for key in sorted(value, key=cmp_to_key(_compared))}
    if isinstance(value, list):
        depth = budget.deeper(depth)
        return [_plain(one, depth) for one in value]
    if isinstance(value, str):
        return valid(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise FunctionError(f"json: unsupported value: {floats.infinite(value)}")
        return value
    if isinstance(value, Moment):
        return layouts.written(value.at, layouts.RFC3339)
    said = getattr(type(value), "shown", None)
    return said(value) if said is not None else None


def _compared(left: str, right: str) -> int:
    """Numbers inside keys count as numbers, and letters come after signs."""
    digits = False
    for at, (one, other) in enumerate(zip(left, right, strict=False)):
        if one == other:
            digits = one.isdecimal()
            continue
        letters = one.isalpha(), other.isalpha()
        if all(letters):
            return -1 if one < other else 1
        if any(letters):
            return -1 if (letters[0] if digits else letters[1]) else 1
        numbers = [_number_at(text, at) for text in (left, right)]
        if "0" in {one, other} and _follows_digits(left, at):
            numbers = [(int(f"1{value:0{length}d}"), length) for value, length in numbers]
        if numbers[0] != numbers[1]:
            return -1 if numbers[0] < numbers[1] else 1
        return -1 if one < other else 1
    return len(left) - len(right)


def _number_at(text: str, at: int) -> tuple[int, int]:
    end = at
    while end < len(text) and text[end].isdecimal():
        end += 1
    return int(text[at:end] or 0), end - at


def _follows_digits(text: str, at: int) -> bool:
    while at > 0 and text[at - 1].isdecimal():
        at -= 1
        if text[at] != "0":
            return True
    return False
