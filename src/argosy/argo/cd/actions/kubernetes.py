"""The actions on what every cluster has: Deployment, StatefulSet, DaemonSet, CronJob, Job."""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from argosy.argo.cd.actions.model import Builtin, Call, Change
from argosy.argo.cd.actions.steps import at, drop, is_not_set, is_set, put, restart_pods, scale, unset
from argosy.domain.health.reading import maps, part
from argosy.kube.objects import Object, name_of, namespace_of, uid_of

_ENDED = frozenset({"Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"})

_RESTART = Builtin("restart", restart_pods, "redo")
_SCALE = Builtin("scale", scale, "plus-circle", params=(("replicas", ""),))


def owner(obj: Object) -> Object:
    """A reference to it, for what is made from it."""
    return {
        "apiVersion": obj.get("apiVersion"),
        "kind": obj.get("kind"),
        "name": name_of(obj),
        "uid": uid_of(obj),
    }


def _create_job(call: Call) -> Change:
    """As `kubectl create job --from=cronjob/…` does."""
    template = part(call.obj, "spec", "jobTemplate")
    about = deepcopy(part(template, "metadata"))
    about["name"] = f"{name_of(call.obj)}-{call.now:%y%m%d%H%M}"
    about["namespace"] = namespace_of(call.obj)
    at(about, "annotations")["cronjob.kubernetes.io/instantiate"] = "manual"
    about["ownerReferences"] = [owner(call.obj) | {"blockOwnerDeletion": True, "controller": True}]
    return Change(
        "create",
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": about,
            "spec": deepcopy(part(template, "spec")),
        },
    )


def _has_ended(obj: Object) -> bool:
    found = maps(part(obj, "status").get("conditions"))
    return any(one.get("type") in _ENDED and one.get("status") == "True" for one in found)


def _terminate(call: Call) -> None:
    if "status" in call.obj and not _has_ended(call.obj):
        at(call.obj, "status").setdefault("conditions", []).append(
            {
                "type": "FailureTarget",
                "status": "True",
                "reason": "ManuallyTerminated",
                "message": "Job was terminated explicitly through Argo CD",
                "lastTransitionTime": call.stamp(),
            }
        )


BUILTINS: Final[dict[str, tuple[Builtin, ...]]] = {
    "apps/Deployment": (
        _RESTART,
        Builtin("pause", put(True, "spec", "paused"), "pause-circle", disabled=is_set("spec", "paused")),
        Builtin("resume", drop("spec", "paused"), "play-circle", disabled=is_not_set("spec", "paused")),
        _SCALE,
    ),
    "apps/StatefulSet": (_RESTART, _SCALE),
    "apps/DaemonSet": (_RESTART,),
    "batch/CronJob": (
        Builtin("create-job", _create_job, "plus", "Create Job"),
        Builtin("suspend", put(True, "spec", "suspend"), "pause", shown=is_not_set("spec", "suspend")),
        Builtin("resume", unset("spec", "suspend"), "play", shown=is_set("spec", "suspend")),
    ),
    "batch/Job": (
        Builtin("suspend", put(True, "spec", "suspend"), "pause", shown=lambda obj: not _has_ended(obj) and not part(obj, "spec").get("suspend")),
        Builtin("resume", unset("spec", "suspend"), "play", shown=lambda obj: not _has_ended(obj) and bool(part(obj, "spec").get("suspend"))),
        Builtin("terminate", _terminate, "stop", shown=lambda obj: "status" in obj and not _has_ended(obj)),
    ),
}  # fmt: skip
