"""Which level a namespace asks for, in which version, by its labels `pod-security.kubernetes.io/…`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from argosy.kube.errors import Cause

_PREFIX = "pod-security.kubernetes.io/"
_LEVELS = ("privileged", "baseline", "restricted")
_VERSION = re.compile(r"v1\.([0-9]|[1-9][0-9]{1,9})")
LATEST = 1_000_000
_Read = TypeVar("_Read", str, int)


class Level(NamedTuple):
    name: str = "privileged"
    minor: int = LATEST

    def __str__(self) -> str:
        return f"{self.name}:{'latest' if self.minor == LATEST else f'v1.{self.minor}'}"


class Policy(NamedTuple):
    enforce: Level
    warn: Level
    faults: tuple[Cause, ...]


def policy(labels: Mapping[str, str]) -> Policy:
    """A level that cannot be read enforces the strictest and warns of nothing."""
    faults: list[Cause] = []

    def read(name: str, convert: Callable[[str], _Read], otherwise: _Read, none: _Read) -> _Read:
        text = labels.get(_PREFIX + name)
        if text is None:
            return none
        try:
            return convert(text)
        except ValueError as error:
            told = f'Invalid value: "{text}": {error}'
            faults.append(Cause("FieldValueInvalid", told, f"metadata.labels[{_PREFIX}{name}]"))
            return otherwise

    enforce = Level(
        read("enforce", _level, "restricted", "privileged"), read("enforce-version", _minor, LATEST, LATEST)
    )
    enforced = bool(labels.get(_PREFIX + "enforce") in _LEVELS)
    read("audit", _level, "privileged", "privileged")
    read("audit-version", _minor, LATEST, LATEST)
    warn = Level(
        read("warn", _level, "privileged", "privileged"), read("warn-version", _minor, LATEST, LATEST)
    )
    if _PREFIX + "warn" not in labels and enforced and enforce.name != "privileged":
        said = _PREFIX + "warn-version" in labels
        warn = Level(enforce.name, warn.minor if said else enforce.minor)
    return Policy(enforce, warn, tuple(faults))


def is_stricter(one: Level, other: Level) -> bool:
    return _LEVELS.index(one.name) > _LEVELS.index(other.name)


def _level(text: str) -> str:
    if text not in _LEVELS:
        raise ValueError(f"must be one of {', '.join(_LEVELS)}")
    return text


def _minor(text: str) -> int:
    found = _VERSION.fullmatch(text)
    if text != "latest" and found is None:
        raise ValueError('must be "latest" or "v1.x"')
    return LATEST if found is None else int(found[1])
