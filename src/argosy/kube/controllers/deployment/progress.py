"""The status of a Deployment: counts, and whether it is available, progressing, done or stuck. Pure but for the clock.

`kubectl rollout status`, `helm --wait` and Argo's health read these words.
"""

from __future__ import annotations

from datetime import datetime

from argosy.kube.controllers import conditions
from argosy.kube.controllers.deployment.sizes import available, least_available, replicas
from argosy.kube.objects import Object, name_of
from argosy.kube.reconcile.times import seconds_until

_NEVER = 2**31 - 1
_DONE, _TIMED_OUT, _PAUSED = "NewReplicaSetAvailable", "ProgressDeadlineExceeded", "DeploymentPaused"


def has_deadline(deployment: Object) -> bool:
    return deployment["spec"].get("progressDeadlineSeconds") not in {None, _NEVER}


def counted(deployment: Object, new: Object | None, old: list[Object]) -> Object:
    sets = [*old, *([new] if new else [])]
    working = sum(available(one) for one in sets)
    before = deployment.get("status") or {}
    status: Object = {
        "observedGeneration": deployment["metadata"].get("generation", 0),
        "replicas": _sum(sets, "replicas"),
        "updatedReplicas": _sum([new] if new else [], "replicas"),
        "readyReplicas": _sum(sets, "readyReplicas"),
        "availableReplicas": working,
        "unavailableReplicas": max(sum(replicas(one) for one in sets) - working, 0),
        "terminatingReplicas": _sum(sets, "terminatingReplicas"),
        "conditions": list(before.get("conditions") or ()),
    }
    if "collisionCount" in before:
        status["collisionCount"] = before["collisionCount"]
    if working >= least_available(deployment):
        said = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    else:
        said = ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    _set(status, "Available", *said)
    return status


def rolled(deployment: Object, new: Object | None, old: list[Object], now: datetime) -> Object:
    """The status while a rollout may be under way."""
    status = counted(deployment, new, old)
    if not has_deadline(deployment):
        status["conditions"] = conditions.without(status["conditions"], "Progressing")
    elif not _was_done(deployment, status):
        _progress(deployment, status, new, now)
    failure = _failure(new, old)
    if failure is not None:
        status["conditions"] = conditions.with_condition(status["conditions"], failure)
    else:
        status["conditions"] = conditions.without(status["conditions"], "ReplicaFailure")
    return status


def is_complete(deployment: Object, status: Object) -> bool:
    wanted = replicas(deployment)
    return all(
        int(status.get(count) or 0) == wanted
        for count in ("updatedReplicas", "replicas", "availableReplicas")
    ) and int(status.get("observedGeneration") or 0) >= int(deployment["metadata"].get("generation", 0))


def said(deployment: Object, status: Object, reason: str, message: str, *, state: str = "True") -> Object:
    """The status with this about its progress."""
    return {
        **status,
        "conditions": conditions.with_condition(
            list(status.get("conditions") or ()),
            conditions.made("Progressing", state, reason, message, updated="lastUpdateTime"),
        ),
    }


def with_pause(deployment: Object) -> Object:
    """The status after the Deployment was paused or resumed, so that the time of the pause counts for no deadline."""
    status = deployment.get("status") or {}
    found = conditions.find(status.get("conditions"), "Progressing")
    reason = found.get("reason") if found else ""
    if not has_deadline(deployment) or reason == _TIMED_OUT:
        return status
    paused = bool(deployment["spec"].get("paused"))
    if paused and reason != _PAUSED:
        return said(deployment, status, _PAUSED, "Deployment is paused", state="Unknown")
    if not paused and reason == _PAUSED:
        return said(deployment, status, "DeploymentResumed", "Deployment is resumed", state="Unknown")
    return status


def next_check(deployment: Object, status: Object, now: datetime) -> float | None:
    """Seconds until the deadline has to be looked at again."""
    found = conditions.find(status.get("conditions"), "Progressing")
    if not has_deadline(deployment) or found is None or deployment["spec"].get("paused"):
        return None
    if is_complete(deployment, status) or found.get("reason") in {_DONE, _TIMED_OUT}:
        return None
    return seconds_until(found.get("lastUpdateTime"), deployment["spec"]["progressDeadlineSeconds"], now) + 1


def _was_done(deployment: Object, status: Object) -> bool:
    found = conditions.condition(deployment, "Progressing")
    return (
        status["replicas"] == status["updatedReplicas"] and found is not None and found.get("reason") == _DONE
    )


def _progress(deployment: Object, status: Object, new: Object | None, now: datetime) -> None:
    subject = f'ReplicaSet "{name_of(new)}"' if new else f'Deployment "{name_of(deployment)}"'
    if is_complete(deployment, status):
        _set(status, "Progressing", "True", _DONE, f"{subject} has successfully progressed.")
    elif _moved(deployment.get("status") or {}, status):
        before = conditions.find(status["conditions"], "Progressing")
        words = f"{subject} is progressing."
        after = conditions.made("Progressing", "True", "ReplicaSetUpdated", words, updated="lastUpdateTime")
        if before is not None and before["status"] == "True":
            after["lastTransitionTime"] = before["lastTransitionTime"]
        status["conditions"] = [*conditions.without(status["conditions"], "Progressing"), after]
    elif _timed_out(deployment, now):
        _set(status, "Progressing", "False", _TIMED_OUT, f"{subject} has timed out progressing.")


def _moved(before: Object, after: Object) -> bool:
    def count(status: Object, name: str) -> int:
        return int(status.get(name) or 0)

    def old(status: Object) -> int:
        return count(status, "replicas") - count(status, "updatedReplicas")

    return old(after) < old(before) or any(
        count(after, name) > count(before, name)
        for name in ("updatedReplicas", "readyReplicas", "availableReplicas")
    )


def _timed_out(deployment: Object, now: datetime) -> bool:
    found = conditions.condition(deployment, "Progressing")
    if found is None or found.get("reason") == _DONE:
        return False
    if found.get("reason") == _TIMED_OUT:
        return True
    deadline = deployment["spec"]["progressDeadlineSeconds"]
    return seconds_until(found.get("lastUpdateTime"), deadline, now) <= 0


def _failure(new: Object | None, old: list[Object]) -> Object | None:
    """What keeps a ReplicaSet from making pods; the new one's trouble counts most."""
    for one in ([new] if new else []) + old:
        found = conditions.condition(one, "ReplicaFailure")
        if found is not None:
            return {**found, "lastUpdateTime": found.get("lastTransitionTime")}
    return None


def _sum(sets: list[Object], name: str) -> int:
    return sum(int((one.get("status") or {}).get(name) or 0) for one in sets)


def _set(status: Object, kind: str, state: str, reason: str, message: str) -> None:
    new = conditions.made(kind, state, reason, message, updated="lastUpdateTime")
    status["conditions"] = conditions.with_condition(status["conditions"], new)
