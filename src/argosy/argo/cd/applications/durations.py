"""Durations as Go writes them (`1h30m`, `500ms`), where a bare number means seconds."""

from __future__ import annotations

import re

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_WHOLE = re.compile(r"([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+")
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")


def seconds(text: str) -> float:
    """Raises ValueError with words for people."""
    if text.strip().lstrip("+-").isdigit():
        return float(text)
    if not _WHOLE.fullmatch(text):
        raise ValueError(f'invalid duration string "{text}"; write it like 30s, 5m or 1h30m')
    total = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    return -total if text.startswith("-") else total
