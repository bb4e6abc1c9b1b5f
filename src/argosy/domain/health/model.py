"""What health is: one of six words and a sentence. The words and their order are Argo CD's; clients compare them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from argosy.kube.objects import Object

HEALTHY: Final = "Healthy"
SUSPENDED: Final = "Suspended"
PROGRESSING: Final = "Progressing"
MISSING: Final = "Missing"
DEGRADED: Final = "Degraded"
UNKNOWN: Final = "Unknown"

ORDER: Final = (HEALTHY, SUSPENDED, PROGRESSING, MISSING, DEGRADED, UNKNOWN)
"""From best to worst."""
RANK: Final = {status: rank for rank, status in enumerate(ORDER)}


@dataclass(frozen=True, slots=True)
class Health:
    """An empty status comes from a script that answers with a table without one; it counts as Healthy."""

    status: str
    message: str = ""


Rule: TypeAlias = Callable[[Object], Health | None]


def is_worse(new: str, current: str) -> bool:
    return RANK.get(new, 0) > RANK.get(current, 0)
