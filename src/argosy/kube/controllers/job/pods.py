"""The pods of a Job: how one is made, which number it has, how it ended. Pure."""

from __future__ import annotations

from datetime import UTC, datetime

from argosy.kube.controllers.pods.making import from_template
from argosy.kube.controllers.pods.state import is_going, phase
from argosy.kube.objects import Object, annotations_of, name_of
from argosy.kube.reconcile.times import parse

TRACKING = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"
_VARIABLE = "JOB_COMPLETION_INDEX"
_LONGEST_PREFIX = 52


def is_indexed(job: Object) -> bool:
    return str(job["spec"].get("completionMode", "NonIndexed")) == "Indexed"


def pod_for(job: Object, index: int | None) -> Object:
    pod = from_template(job["spec"]["template"], job)
    metadata = pod["metadata"]
    metadata["finalizers"] = [*metadata.get("finalizers", []), TRACKING]
    if index is None:
        return pod
    number = str(index)
    metadata["generateName"] = f"{name_of(job)[:_LONGEST_PREFIX]}-{number}-"
    metadata["annotations"][INDEX] = number
    metadata["labels"][INDEX] = number
    spec = pod["spec"]
    spec["hostname"] = f"{name_of(job)}-{number}"
    for group in ("initContainers", "containers"):
        if spec.get(group):
            spec[group] = [_told_its_index(container) for container in spec[group]]
    return pod


def _told_its_index(container: Object) -> Object:
    environment = list(container.get("env") or ())
    if any(one["name"] == _VARIABLE for one in environment):
        return container
    told = {"name": _VARIABLE, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}}
    return {**container, "env": [*environment, told]}


def index_of(pod: Object) -> int | None:
    text = annotations_of(pod).get(INDEX, "")
    return int(text) if text.isdigit() else None


def is_tracked(pod: Object) -> bool:
    return TRACKING in (pod["metadata"].get("finalizers") or ())


def succeeded(pod: Object) -> bool:
    return phase(pod) == "Succeeded"


def failed(job: Object, pod: Object) -> bool:
    """A pod that is on its way out counts as failed, unless the Job waits for its real end."""
    if phase(pod) == "Failed":
        return True
    if not is_going(pod) or phase(pod) == "Succeeded":
        return False
    return phase(pod) == "Pending" or not replaces_only_failed(job)


def replaces_only_failed(job: Object) -> bool:
    return str(job["spec"].get("podReplacementPolicy", "TerminatingOrFailed")) == "Failed"


def ended_at(pod: Object) -> datetime:
    """The end of its last container; else of its deletion."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    ends = [parse(((one.get("state") or {}).get("terminated") or {}).get("finishedAt")) for one in statuses]
    known = [one for one in ends if one is not None]
    return max(known) if known else parse(pod["metadata"].get("deletionTimestamp")) or datetime.now(UTC)
