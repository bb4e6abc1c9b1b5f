"""Numbers that a spec may also give as a percentage: `25%` of the replicas. Pure."""

from __future__ import annotations

import math


def share(value: object, total: int, *, up: bool) -> int:
    """What is no number and no percentage counts as 0: the server has refused it long before."""
    if isinstance(value, int):
        return value
    if isinstance(value, str) and value.endswith("%") and value[:-1].isdigit():
        part = int(value[:-1]) * total / 100
        return math.ceil(part) if up else math.floor(part)
    return 0
