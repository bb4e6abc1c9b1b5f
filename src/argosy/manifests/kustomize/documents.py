"""YAML files into values and back: split as kyaml splits them, read with its scalar rules, remembered by their content.

The same base is read for every overlay above it, so what was parsed is kept (some megabytes) and copied for whoever changes it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from argosy.kit import yaml_documents
from argosy.kit.errors import BadRequest
from argosy.kube.objects import Object
from argosy.manifests.kustomize.scalars import (
    EMPTY_IN_FLOW,
    Fresh,
    Odd,
    OddKey,
    Quoted,
    Scalar,
    is_null,
    quoted,
    resolve,
    resolve_old,
    tagged,
)
from argosy.manifests.tree import SourceError

_REMEMBERED_UP_TO = 16 * 1024  # characters of one file
LARGEST_FILE = 16 * 1024 * 1024
_SEPARATOR = re.compile(r"\n---.*\n")


class Malformed(SourceError):
    """No YAML: upstream's word for it is `MalformedYAMLError`."""


class _Kyaml:
    last_key_wins = False

    @staticmethod
    def scalar(text: str, style: str, tag: str, flow: bool) -> Scalar:
        if tag:
            return tagged(text, tag)
        if style:
            return quoted(text, style)
        return resolve(text) if text or not flow else EMPTY_IN_FLOW

    @staticmethod
    def key(text: str, style: str, tag: str) -> str:
        return text if tag or style or type(resolve(text)) is str else OddKey(text)


class _Sigs:
    """`sigs.k8s.io/yaml`: YAML 1.1, made into JSON."""

    last_key_wins = True

    @staticmethod
    def scalar(text: str, style: str, tag: str, _flow: bool) -> Scalar:
        if tag:
            value = tagged(text, tag)
            return value.value if type(value) is Odd else str(value) if isinstance(value, Quoted) else value
        return text if style else resolve_old(text)

    @staticmethod
    def key(text: str, style: str, tag: str) -> str:
        if style or tag:
            return text
        value = resolve_old(text)
        return value if isinstance(value, str) else json.dumps(value)


def documents(text: str) -> list[Any]:
    """Every document of a file, of the caller's own. Empty ones are left out."""
    return [copied(one) for one in _remembered(text, _parse_all)]


def structured(text: str) -> Any:
    """One YAML document as kyaml reads it."""
    return copied(next(iter(_remembered(text, _parse_one)), None))


def old_yaml(text: str) -> Any:
    """One document as `sigs.k8s.io/yaml` reads it; not to be changed."""
    return next(iter(_remembered(text, _parse_old)), None)


def many_old_yaml(text: str) -> list[Any]:
    """What kustomize wrote: documents as a Kubernetes client reads them."""
    found = (next(iter(_parse_old(part)), None) for part in _split(text))
    return [one for one in found if one is not None]


def _remembered(text: str, parse: Any) -> tuple[Any, ...]:
    found: tuple[Any, ...] = (_kept if len(text) <= _REMEMBERED_UP_TO else _parsed)(text, parse)
    return found


def _parsed(text: str, parse: Any) -> tuple[Any, ...]:
    return tuple(parse(text))


_kept = lru_cache(maxsize=256)(_parsed)


def forget() -> None:
    """For whoever measures how long parsing takes."""
    _kept.cache_clear()


def _parse_all(text: str) -> Iterable[Any]:
    for part in _split(text.replace("\r\n", "\n")):
        yield from (one for one in _first(part, _Kyaml) if not is_null(one))


def _parse_one(text: str) -> Iterable[Any]:
    return _first(text, _Kyaml)


def _parse_old(text: str) -> Iterable[Any]:
    return _first(text, _Sigs)


def _first(text: str, reading: Any) -> list[Any]:
    """A part may hold more than one document, after `...`; nobody reads them."""
    try:
        return yaml_documents.documents(str(text), reading, largest=LARGEST_FILE, most=1)
    except BadRequest as error:
        raise Malformed(error.message) from error


def _split(text: str) -> list[str]:
    parts, start = [], 0
    for found in _SEPARATOR.finditer(text):
        behind = found.group()[4:].strip()
        if behind and not behind.startswith("#"):
            raise Malformed(f"invalid document separator: {found.group().strip()}")
        parts.append(text[start : found.start()] + "\n")
        start = found.end()
    return [*parts, text[start:]]


def copied(value: Any) -> Any:
    """A copy whose containers are its own; what an alias shared is apart."""
    kind = type(value)
    if kind is dict:
        return {key: copied(one) for key, one in value.items()}
    if kind is list:
        return [copied(one) for one in value]
    return {key: copied(one) for key, one in value.items()} if isinstance(value, dict) else value


def plain(value: Any) -> Any:
    """What JSON makes of it. Raises `SourceError` for what JSON cannot say."""
    kind = type(value)
    if kind is str:
        return value
    if kind is dict:
        return {_plain_key(key): plain(one) for key, one in value.items()}
    if kind is list:
        return [plain(one) for one in value]
    if kind is float:
        return _plain_float(value)
    if kind is Odd:
        return "" if value is EMPTY_IN_FLOW else plain(value.value)
    if kind is Fresh:
        return plain(resolve(str(value)))
    if isinstance(value, dict):
        return {_plain_key(key): plain(one) for key, one in value.items()}
    return str(value) if isinstance(value, str) else value


def _plain_key(key: str) -> str:
    if type(key) is not OddKey:
        return key
    value = resolve(str(key))
    held = value.value if type(value) is Odd else value
    if isinstance(held, bool | float | None):
        raise SourceError(f"json: unsupported value: the key {str(key)!r} is not a text; put it in quotes")
    return str(held)


def _plain_float(value: float) -> int | float:
    if math.isinf(value) or math.isnan(value):
        raise SourceError(f"json: unsupported value: {value}")
    return int(value) if value.is_integer() and -(2**63) <= value < 2**64 else value


def plain_object(obj: Object) -> Object:
    """A finished resource. Its own keys may be anything that has a text."""
    return {str(key): plain(one) for key, one in obj.items()}
