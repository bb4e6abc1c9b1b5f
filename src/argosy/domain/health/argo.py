"""The kinds of the Argo projects whose health is more than a table row: Workflow, Application, Rollout."""

from __future__ import annotations

from argosy.domain.health.model import DEGRADED, HEALTHY, PROGRESSING, RANK, SUSPENDED, UNKNOWN, Health
from argosy.domain.health.reading import conditions, number, part, text
from argosy.kube.objects import Object

_WORKFLOW = {
    "": PROGRESSING,
    "Pending": PROGRESSING,
    "Running": PROGRESSING,
    "Succeeded": HEALTHY,
    "Failed": DEGRADED,
    "Error": DEGRADED,
}
_WORKLOAD_GENERATION = "rollout.argoproj.io/workload-generation"
_ABORTED = {"RolloutAborted", "ProgressDeadlineExceeded"}


def workflow(obj: Object) -> Health:
    status = part(obj, "status")
    return Health(_WORKFLOW.get(text(status, "phase"), UNKNOWN), text(status, "message"))


def application(obj: Object) -> Health:
    """Its own health, for applications of applications and `dependsOn`. Argo CD has this rule only where somebody configures it."""
    health = part(obj, "status", "health")
    status = text(health, "status")
    return Health(status if status in RANK else PROGRESSING, text(health, "message"))


def rollout(obj: Object) -> Health:
    status = part(obj, "status")
    if not _is_observed(obj, status):
        return Health(PROGRESSING, "Waiting for rollout spec update to be observed")
    if phase := text(status, "phase"):  # since Argo Rollouts 1.0 the controller says it itself
        phase = SUSPENDED if phase == "Paused" else phase
        return (
            Health(phase, text(status, "message"))
            if phase in RANK
            else Health(UNKNOWN, "Lua returned an invalid health status")
        )
    return _without_phase(obj, status)


def _is_observed(obj: Object, status: Object) -> bool:
    if not isinstance(obj.get("status"), dict):
        return False
    generation, observed = (
        number(part(obj, "metadata"), "generation"),
        _as_number(status.get("observedGeneration")),
    )
    if observed is not None and observed < generation:
        return False
    if not part(obj, "spec").get("workloadRef") or "annotations" not in part(obj, "metadata"):
        return True
    wanted = part(obj, "metadata", "annotations").get(_WORKLOAD_GENERATION)
    return _as_number(wanted) == _as_number(status.get("workloadObservedGeneration"))


def _without_phase(obj: Object, status: Object) -> Health:
    for one in conditions(obj):
        if one.get("type") == "InvalidSpec" or (
            one.get("type") == "Progressing" and one.get("reason") in _ABORTED
        ):
            return Health(DEGRADED, text(one, "message"))
    spec = part(obj, "spec")
    if status.get("pauseConditions") or spec.get("paused") is True:
        return Health(SUSPENDED, "Rollout is paused")
    if "currentPodHash" not in status:
        return Health(PROGRESSING, "Waiting for rollout to finish: status has not been reconciled.")
    waiting = _replicas(spec, status) or _strategy(part(spec, "strategy"), status)
    return Health(PROGRESSING, waiting) if waiting else Health(HEALTHY)


def _replicas(spec: Object, status: Object) -> str:
    updated = number(status, "updatedReplicas")
    if updated < number(spec, "replicas", 1):
        return "Waiting for roll out to finish: More replicas need to be updated"
    if number(status, "availableReplicas") < updated:
        return "Waiting for roll out to finish: updated replicas are still becoming available"
    return ""


def _strategy(strategy: Object, status: Object) -> str:
    current = status.get("currentPodHash")
    stable = status.get("stableRS") or part(status, "canary").get("stableRS") or ""
    if "blueGreen" in strategy:
        if part(status, "blueGreen").get("activeSelector") != current:
            return "active service cutover pending"
        return "waiting for analysis to complete" if stable not in {"", current} else ""
    if "canary" in strategy:
        if number(status, "replicas") > number(status, "updatedReplicas"):
            return "Waiting for roll out to finish: old replicas are pending termination"
        return "" if stable and stable == current else "Waiting for rollout to finish steps"
    return ""


def _as_number(value: object) -> float | None:
    """A generation is written as text by some versions, and as a hash by old ones."""
    try:
        return float(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None
    except (ValueError, OverflowError):
        return None
