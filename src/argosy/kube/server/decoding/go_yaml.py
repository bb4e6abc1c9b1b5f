"""YAML as the API server reads it: into what JSON can hold, with Go's idea of what a plain word means.

`1:30` and `2024-01-01` are texts, `yes` is true, and of two equal keys the last counts. `text` calls it for bodies in YAML and for
what is applied; `kit.yaml` has guarded the shape.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml as pyyaml

from argosy.kit import yaml
from argosy.kit.errors import BadRequest
from argosy.kube.server.patches.go_text import number, quoted

_STRING = "tag:yaml.org,2002:str"
_WORDS: dict[str, object] = {
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_LONGEST_NUMBER = 400
_MERGE = "<<"
_HOLDS_ITSELF = re.compile(r"('[^']*') holds itself")
_RESOLVER = pyyaml.resolver.Resolver()


class Garbled(Exception):
    """What Go says of it."""


def value(body: bytes) -> tuple[Any, list[str]]:
    """And complaints about keys that stand twice."""
    try:
        yaml.check_shape(body)
        node = _first(body)
    except pyyaml.MarkedYAMLError as error:
        raise Garbled(f"yaml: {_line(error)}{error.problem}") from error
    except (pyyaml.YAMLError, ValueError) as error:
        raise Garbled(f"yaml: {error}") from error
    except BadRequest as error:
        raise Garbled(f"yaml: {_guarded(error.message)}") from error
    reading = _Reading()
    return reading.value(node), reading.repeated


def _first(body: bytes) -> pyyaml.Node | None:
    """The first of several documents; the others are not looked at."""
    loader = pyyaml.CSafeLoader(body)
    try:
        return loader.get_node() if loader.check_node() else None
    finally:
        loader.dispose()


def _guarded(message: str) -> str:
    """What the guard says of an anchor, in Go's words."""
    found = _HOLDS_ITSELF.search(message)
    return f"anchor {found[1]} value contains itself" if found else message


def _line(error: pyyaml.MarkedYAMLError) -> str:
    """As Go counts: from the context, one line later when the scanner stopped, and nothing in the first line."""
    for mark in (error.context_mark, error.problem_mark):
        if mark is not None and mark.line:
            return f"line {mark.line + isinstance(error, pyyaml.scanner.ScannerError)}: "
    return ""


class _Reading:
    def __init__(self) -> None:
        self.repeated: list[str] = []

    def value(self, node: pyyaml.Node | None) -> Any:
        match node:
            case pyyaml.MappingNode():
                return self._mapping(node)
            case pyyaml.SequenceNode():
                return [self.value(one) for one in node.value]
            case pyyaml.ScalarNode():
                return _scalar(node)
            case _:
                return None

    def _mapping(self, node: pyyaml.MappingNode) -> dict[str, Any]:
        made: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, inner in node.value:
            if isinstance(key, pyyaml.ScalarNode) and key.value == _MERGE and not key.style:
                for one in self._merged(inner):
                    merged = {**one, **merged}
                continue
            name = self._key(key)
            if name in made:
                self.repeated.append(f"line {key.start_mark.line + 1}: key {quoted(name)} already set in map")
            made[name] = self.value(inner)
        return {**merged, **made} if merged else made

    def _merged(self, node: pyyaml.Node) -> Iterator[dict[str, Any]]:
        for one in node.value if isinstance(node, pyyaml.SequenceNode) else (node,):
            if not isinstance(one, pyyaml.MappingNode):
                raise Garbled("yaml: map merge requires map or sequence of maps as the value")
            yield self._mapping(one)

    def _key(self, node: pyyaml.Node) -> str:
        found = self.value(node)
        match found:
            case str():
                return found
            case bool():
                return str(found).lower()
            case int():
                return str(found)
            case float():
                return number(found)
            case _:
                raise Garbled(f"yaml: line {node.start_mark.line + 1}: a key must be a word or a number")


def _scalar(node: pyyaml.ScalarNode) -> object:
    text: str = node.value
    if node.style or _is_said_to_be_text(node):
        return text
    if text in _WORDS:
        found = _WORDS[text]
        if isinstance(found, float):
            raise Garbled(f"json: unsupported value: {_not_finite(found)}")
        return found
    plain = text.replace("_", "") if text[:1] in "+-0123456789" else text
    if len(plain) > _LONGEST_NUMBER:
        return text
    if integer := _INTEGER.fullmatch(plain):
        return _integer(integer)
    if _FLOAT.fullmatch(plain) and text[:1] in "+-.0123456789":
        return _finite(plain)
    return text


def _is_said_to_be_text(node: pyyaml.ScalarNode) -> bool:
    """`!!str 5`"""
    return bool(node.tag == _STRING) and not is_plain_text(node.value)


def is_plain_text(text: str) -> bool:
    """Whether a word without quotes is a text to other readers of YAML."""
    tag: str = _RESOLVER.resolve(pyyaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return tag == _STRING


def _integer(found: re.Match[str]) -> int | float:
    sign, hexadecimal, binary, octal, decimal = found.groups()
    digits, base = next(
        (digits, base)
        for digits, base in ((hexadecimal, 16), (binary, 2), (octal, 8), (decimal, 10))
        if digits is not None
    )
    read = int(digits, base) * (-1 if sign == "-" else 1)
    return read if -(2**63) <= read < 2**64 else float(read)


def _finite(text: str) -> float | str:
    read = float(text)
    return text if math.isinf(read) else read


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
