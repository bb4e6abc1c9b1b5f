"""How well objects are: Argo CD's rules and words, for every kind it knows, and what argocd-cm adds in Lua. Pure.

`health_of` asks about one object (`assessment.py`: in which order the rules come), `worst` makes the health of an application of them
(`aggregate.py`). The rules are in `workloads`, `pods`, `jobs`, `serving`, `autoscaling`, `extending` and `argo`, the many custom resources in tables
(`table.py`, `rules/`). `Scripts` reads argocd-cm.
"""

from argosy.domain.health.aggregate import Part, worst
from argosy.domain.health.assessment import health_of
from argosy.domain.health.model import (
    DEGRADED,
    HEALTHY,
    MISSING,
    ORDER,
    PROGRESSING,
    SUSPENDED,
    UNKNOWN,
    Health,
    is_worse,
)
from argosy.domain.health.scripts import Actions, Script, Scripts

__all__ = [
    "DEGRADED",
    "HEALTHY",
    "MISSING",
    "ORDER",
    "PROGRESSING",
    "SUSPENDED",
    "UNKNOWN",
    "Actions",
    "Health",
    "Part",
    "Script",
    "Scripts",
    "health_of",
    "is_worse",
    "worst",
]
