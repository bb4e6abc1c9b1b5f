"""How an object is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Health:
    """`Healthy`, `Suspended`, `Progressing`, `Missing`, `Degraded` or `Unknown`."""

    status: str
    message: str = ""
