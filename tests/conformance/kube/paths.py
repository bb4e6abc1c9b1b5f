"""Finds a place inside a JSON document, as scenarios name it."""

from __future__ import annotations

import re
from typing import Any

MISSING = object()
_DOT = re.compile(r"(?<!\\)\.")


def at(document: Any, path: str) -> Any:
    """`metadata.managedFields.0.time`; `status.conditions.type=Established.status` finds an item in a list,
    `items.metadata\\.name=apps` one by something deeper. The empty path is all of it."""
    for part in _DOT.split(path) if path else ():
        document = _inside(document, part.replace("\\.", "."))
    return document


def _inside(document: Any, part: str) -> Any:
    if isinstance(document, dict):
        return document.get(part, MISSING)
    if not isinstance(document, list):
        return MISSING
    if part.lstrip("-").isdigit():
        index = int(part)
        return document[index] if -len(document) <= index < len(document) else MISSING
    key, _, value = part.partition("=")
    return next((one for one in document if str(at(one, key)) == value), MISSING)
