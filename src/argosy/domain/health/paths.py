"""Paths in tables: `.spec.replicas`, `.metadata.labels[app.io/name]`, `.status.conditions[-1].type`, `.status.racks.*.members`."""

from __future__ import annotations

import re
from typing import TypeAlias

from argosy.domain.health.reading import number
from argosy.kube.objects import Object

Steps: TypeAlias = tuple[str, ...]

_STEP = re.compile(r"\.([\w*-]+)|\[([^\]]+)\]")


def steps_of(path: str) -> Steps:
    return tuple(plain or quoted for plain, quoted in _STEP.findall(path))


def first(obj: Object, steps: Steps) -> object:
    return next(iter(every(obj, steps)), None)


def every(value: object, steps: Steps) -> list[object]:
    """What stands at a path; several where a `*` in it stands for every key or place."""
    if not steps:
        return [] if value is None else [value]
    step, rest = steps[0], steps[1:]
    if step == "*":
        inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        return [found for item in inside for found in every(item, rest)]
    if isinstance(value, list) and step.lstrip("-").isdigit():
        return every(value[int(step)], rest) if -len(value) <= int(step) < len(value) else []
    return every(value.get(step), rest) if isinstance(value, dict) else []


def count(obj: Object, steps: Steps) -> int:
    return number({"n": first(obj, steps)}, "n")


def word(value: object) -> str:
    """As a person writes it in a table; nothing for lists and maps."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, (str, int, float)) else ""
