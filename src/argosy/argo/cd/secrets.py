"""Keeps the values of Secrets out of what is said of them."""

from __future__ import annotations

import base64
import binascii

from argosy.kube.objects import Object

_SHOWN = "++++++++"
_SHORT = 3
"""So short a value may be part of any word; it tells nobody anything."""


def masked(message: str, *objects: Object | None) -> str:
    for value in sorted({one for obj in objects if obj is not None for one in _values(obj)}, key=len)[::-1]:
        message = message.replace(value, _SHOWN)
    return message


def _values(obj: Object) -> list[str]:
    if obj.get("kind") != "Secret":
        return []
    found: list[str] = []
    for part in ("data", "stringData"):
        held = obj.get(part)
        for value in held.values() if isinstance(held, dict) else ():
            text = str(value)
            found += [text, _plain(text) if part == "data" else base64.b64encode(text.encode()).decode()]
    return [one for one in found if len(one) > _SHORT]


def _plain(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
