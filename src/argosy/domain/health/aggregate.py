"""The health of an application from the health of its objects: the worst of those that count, and which they are.

An object that is missing is no fault (the comparison says so), unless all are. When the status last changed is the caller's to know.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from argosy.domain.health.hooks import is_health_ignored, is_hook, is_skipped
from argosy.domain.health.model import HEALTHY, MISSING, UNKNOWN, Health, is_worse
from argosy.kube.objects import Object, group_version, name_of, namespace_of

MOST_CAUSES = 3


@dataclass(frozen=True, slots=True)
class Part:
    """One object of an application: what is wanted, what is there, and how that is. `own` is the application itself, which may manage itself."""

    target: Object | None
    live: Object | None
    health: Health | None
    own: bool = False


def worst(parts: Iterable[Part]) -> Health:
    """Aggregated as Argo CD 3.4 and later do."""
    status, causes = HEALTHY, []
    any_part = any_live = False
    for part in parts:
        if (part.target is not None and is_skipped(part.target)) or (
            part.live is not None and is_hook(part.live)
        ):
            continue
        any_part = True
        if part.live is None:
            continue
        any_live = True
        if (
            part.health is None
            or part.own
            or is_health_ignored(part.live)
            or _is_unsettled_child(part.live, part.health)
        ):
            continue
        if is_worse(part.health.status, status):
            status, causes = part.health.status, [part.live]
        elif part.health.status == status != HEALTHY:
            causes.append(part.live)
    if any_part and not any_live and is_worse(MISSING, status):
        return Health(MISSING)
    return Health(status, _caused_by(causes))


def _is_unsettled_child(live: Object, health: Health) -> bool:
    is_application = live.get("kind") == "Application" and group_version(live)[0] == "argoproj.io"
    return is_application and health.status in {MISSING, UNKNOWN}


def _caused_by(causes: list[Object]) -> str:
    if not causes:
        return ""
    shown = ", ".join(_named(one) for one in causes[:MOST_CAUSES])
    more = len(causes) - MOST_CAUSES
    return f"Caused by {shown} and {more} more" if more > 0 else f"Caused by {shown}"


def _named(obj: Object) -> str:
    group, _ = group_version(obj)
    kind = f"{group}/{obj.get('kind', '')}" if group else str(obj.get("kind", ""))
    namespace = namespace_of(obj)
    return f"{kind}:{namespace}/{name_of(obj)}" if namespace else f"{kind}:{name_of(obj)}"
