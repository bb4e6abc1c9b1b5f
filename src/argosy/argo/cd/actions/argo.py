"""The actions on the kinds of the Argo projects: Rollout, AnalysisRun, workflows, Application."""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from argosy.argo.cd.actions.kubernetes import owner
from argosy.argo.cd.actions.model import Builtin, Call, Change
from argosy.argo.cd.actions.steps import at, put
from argosy.domain.health.reading import number, part
from argosy.kube.objects import Object, labels_of, metadata, name_of, namespace_of

_INSTANCE = "workflows.argoproj.io/controller-instanceid"
_OVER = frozenset({"Successful", "Failed", "Error", "Inconclusive"})


def _is_paused(obj: Object) -> bool:
    status = part(obj, "status")
    return (
        bool(status["pauseConditions"])
        if "pauseConditions" in status
        else bool(part(obj, "spec").get("paused"))
    )


def _is_promoted(obj: Object) -> bool:
    """Without a status the controller has not seen it yet: nothing is under way."""
    status = part(obj, "status")
    return not status or status.get("currentPodHash") == status.get("stableRS")


def _steps(obj: Object) -> list[object] | None:
    steps = part(obj, "spec", "strategy", "canary").get("steps")
    return steps if isinstance(steps, list) else None


def _is_old(obj: Object) -> bool:
    """Argo Rollouts up to 0.9: its observedGeneration was a hash."""
    observed = part(obj, "status").get("observedGeneration")
    try:
        return float(str(observed)) > number(metadata(obj), "generation")
    except ValueError:
        return True


def _cannot_promote(obj: Object) -> bool:
    return _is_promoted(obj) or (_is_old(obj) and "blueGreen" in part(obj, "spec", "strategy"))


def _promote_full(call: Call) -> None:
    if "status" not in call.obj:
        return
    status = at(call.obj, "status")
    if not _is_old(call.obj):
        status["promoteFull"] = True
        return
    status.pop("abort", None)
    if (steps := _steps(call.obj)) is not None:
        status["currentStepIndex"] = len(steps)


def _resume(call: Call) -> None:
    spec, status = part(call.obj, "spec"), part(call.obj, "status")
    if status.get("pauseConditions"):
        del status["pauseConditions"]
    if spec.get("paused"):
        spec["paused"] = False


def _retry(call: Call) -> None:
    part(call.obj, "status").pop("abort", None)


def _is_past_the_steps(obj: Object) -> bool:
    steps = _steps(obj)
    return (
        steps is None or "status" not in obj or number(part(obj, "status"), "currentStepIndex") >= len(steps)
    )


def _skip(call: Call) -> None:
    if _is_past_the_steps(call.obj):
        return
    status = at(call.obj, "status")
    if status.get("pauseConditions"):
        del status["pauseConditions"]
    status["currentStepIndex"] = number(status, "currentStepIndex") + 1


def _restart(call: Call) -> None:
    at(call.obj, "spec")["restartAt"] = call.stamp()


def _aborted(obj: Object) -> bool:
    return bool(part(obj, "status").get("abort"))


def _workflow(call: Call, about: Object, spec: Object) -> Change:
    head = {
        "name": f"{name_of(call.obj)}-{call.now:%Y%m%d%H%M}",
        "namespace": namespace_of(call.obj),
        "ownerReferences": [owner(call.obj)],
    }
    return Change(
        "create",
        {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": head | about, "spec": spec},
    )


def _from_cron(call: Call) -> Change:
    """As `argo submit --from=cronworkflow/…` does."""
    given = part(call.obj, "spec", "workflowMetadata")
    labels = {**part(given, "labels"), "workflows.argoproj.io/cron-workflow": name_of(call.obj)}
    if instance := labels_of(call.obj).get(_INSTANCE):
        labels[_INSTANCE] = instance
    about: Object = {
        "labels": labels,
        "annotations": {**part(given, "annotations"), "workflows.argoproj.io/scheduled-time": call.stamp()},
    }
    if finalizers := given.get("finalizers"):
        about["finalizers"] = deepcopy(finalizers)
    return _workflow(call, about, deepcopy(part(call.obj, "spec", "workflowSpec")))


def _from_template(call: Call) -> Change:
    name = name_of(call.obj)
    return _workflow(
        call,
        {"labels": {"workflows.argoproj.io/workflow-template": name}},
        {"workflowTemplateRef": {"name": name}},
    )


def _is_automated(obj: Object) -> bool:
    automated = part(obj, "spec", "syncPolicy").get("automated")
    return isinstance(automated, dict) and automated.get("enabled", True) is not False


def _toggle(call: Call) -> None:
    enabled = _is_automated(call.obj)
    at(call.obj, "spec", "syncPolicy", "automated")["enabled"] = not enabled


BUILTINS: Final[dict[str, tuple[Builtin, ...]]] = {
    "argoproj.io/Rollout": (
        Builtin("restart", _restart, display_name="Restart Pods"),
        Builtin("resume", _resume, disabled=lambda obj: not _is_paused(obj)),
        Builtin("abort", put(True, "status", "abort"), disabled=lambda obj: _is_promoted(obj) or _aborted(obj)),
        Builtin("retry", _retry, disabled=lambda obj: _is_promoted(obj) or not _aborted(obj)),
        Builtin("pause", put(True, "spec", "paused"), disabled=lambda obj: _is_promoted(obj) or _aborted(obj) or bool(part(obj, "spec").get("paused"))),
        Builtin("promote-full", _promote_full, disabled=_cannot_promote),
        Builtin("skip-current-step", _skip, disabled=_is_past_the_steps),
    ),
    "argoproj.io/AnalysisRun": (
        Builtin("terminate", put(True, "spec", "terminate"),
                disabled=lambda obj: bool(part(obj, "spec").get("terminate")) or part(obj, "status").get("phase") in _OVER),
    ),
    "argoproj.io/CronWorkflow": (Builtin("create-workflow", _from_cron, "plus", "Create Workflow"),),
    "argoproj.io/WorkflowTemplate": (Builtin("create-workflow", _from_template, "plus", "Create Workflow"),),
    "argoproj.io/Application": (
        Builtin("toggle-auto-sync", _toggle, display_name=lambda obj: "Disable Auto-Sync" if _is_automated(obj) else "Enable Auto-Sync"),
    ),
}  # fmt: skip
