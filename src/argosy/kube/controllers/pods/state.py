"""How a pod is doing, as workloads, endpoints and budgets see it."""

from __future__ import annotations

from datetime import UTC, datetime

from argosy.kube.controllers.conditions import condition
from argosy.kube.objects import Object
from argosy.kube.reconcile.times import parse, seconds_until

_EPOCH = datetime.fromtimestamp(0, UTC)


def phase(pod: Object) -> str:
    return str((pod.get("status") or {}).get("phase") or "")


def is_terminal(pod: Object) -> bool:
    return phase(pod) in {"Succeeded", "Failed"}


def is_going(obj: Object) -> bool:
    return "deletionTimestamp" in obj["metadata"]


def is_active(pod: Object) -> bool:
    return not is_terminal(pod) and not is_going(pod)


def is_ready(pod: Object) -> bool:
    found = condition(pod, "Ready")
    return found is not None and found["status"] == "True"


def is_available(pod: Object, min_ready: int, now: datetime) -> bool:
    return is_ready(pod) and available_in(pod, min_ready, now) <= 0


def available_in(pod: Object, min_ready: int, now: datetime) -> float:
    """Seconds until a ready pod has been ready for long enough."""
    ready = condition(pod, "Ready")
    if not min_ready or ready is None:
        return 0.0
    return seconds_until(ready.get("lastTransitionTime"), min_ready, now)


def soonest_available(pods: list[Object], min_ready: int, now: datetime) -> float | None:
    """When the next of the ready pods will have been ready for long enough."""
    if not min_ready:
        return None
    waits = [available_in(pod, min_ready, now) for pod in pods if is_ready(pod)]
    return min((wait for wait in waits if wait > 0), default=None)


def restarts(pod: Object) -> int:
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return max((int(one.get("restartCount") or 0) for one in statuses), default=0)


def created(obj: Object) -> datetime:
    return parse(obj["metadata"].get("creationTimestamp")) or _EPOCH
