"""Which of too many pods go first: those that would be missed least. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from argosy.kube.controllers.conditions import condition
from argosy.kube.controllers.pods.state import created, is_ready, phase, restarts
from argosy.kube.objects import Object, annotations_of
from argosy.kube.reconcile.times import parse

_COST = "controller.kubernetes.io/pod-deletion-cost"
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


def to_delete(pods: Sequence[Object], related: Sequence[Object], count: int, now: datetime) -> list[Object]:
    """`related` are the active pods of all the owner's siblings: where many of them share a node, one goes from there."""
    if count >= len(pods):
        return list(pods)
    crowd = Counter(pod["spec"].get("nodeName", "") for pod in related)
    return sorted(pods, key=lambda pod: _rank(pod, crowd, now))[:count]


def _rank(pod: Object, crowd: Counter[str], now: datetime) -> tuple[float, ...]:
    node = pod["spec"].get("nodeName", "")
    ready = is_ready(pod)
    return (
        1 if node else 0,
        _PHASES.get(phase(pod), 3),
        1 if ready else 0,
        _cost(pod),
        -crowd[node],
        _age(_ready_since(pod), now) if ready else 0,
        -restarts(pod),
        _age(created(pod), now),
    )


def _age(since: datetime | None, now: datetime) -> float:
    """On a logarithmic scale, so that pods of nearly the same age count as equally old. The younger goes first."""
    if since is None:
        return 0.0
    return math.floor(math.log2(max((now - since).total_seconds(), 0.0) + 1))


def _ready_since(pod: Object) -> datetime | None:
    found = condition(pod, "Ready")
    return parse(found.get("lastTransitionTime")) if found else None


def _cost(pod: Object) -> int:
    try:
        return int(annotations_of(pod).get(_COST, "0"))
    except ValueError:
        return 0
