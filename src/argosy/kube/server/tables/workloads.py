"""What keeps pods running, and what watches over it."""

from __future__ import annotations

from argosy.kube.objects import Object, controller_of, group_version
from argosy.kube.server.tables.ages import between, since
from argosy.kube.server.tables.printer import (
    AGE,
    NAME,
    SELECTOR,
    TEMPLATE,
    Cells,
    Printer,
    age,
    name,
    part,
    spec,
    status,
    text,
    truth,
    whole,
)
from argosy.kube.server.tables.scaling import metrics
from argosy.kube.server.tables.wording import (
    NONE,
    UNSET,
    containers,
    has_condition,
    labels,
    selector,
    selector_or_nothing,
)

_SETS = (NAME, whole("Desired"), whole("Current"), whole("Ready"), AGE, *TEMPLATE, SELECTOR)


def _template(obj: Object) -> Object:
    return spec(part(spec(obj), "template"))


def _counts(obj: Object) -> Cells:
    now = status(obj)
    return [
        name(obj),
        spec(obj).get("replicas", 0),
        now.get("replicas", 0),
        now.get("readyReplicas", 0),
        age(obj),
        *containers(_template(obj)),
    ]


def _replication_controller(obj: Object) -> Cells:
    return [*_counts(obj), labels(spec(obj).get("selector"))]


def _replica_set(obj: Object) -> Cells:
    return [*_counts(obj), selector(spec(obj).get("selector"))]


def _deployment(obj: Object) -> Cells:
    now = status(obj)
    return [
        name(obj),
        f"{now.get('readyReplicas', 0)}/{spec(obj).get('replicas', 0)}",
        now.get("updatedReplicas", 0),
        now.get("availableReplicas", 0),
        age(obj),
        *containers(_template(obj)),
        selector_or_nothing(spec(obj).get("selector")),
    ]


def _stateful_set(obj: Object) -> Cells:
    ready = f"{status(obj).get('readyReplicas', 0)}/{spec(obj).get('replicas', 0)}"
    return [name(obj), ready, age(obj), *containers(_template(obj))]


def _daemon_set(obj: Object) -> Cells:
    now = status(obj)
    counts = (
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    )
    return [
        name(obj),
        *(now.get(one, 0) for one in counts),
        labels(_template(obj).get("nodeSelector")),
        age(obj),
        *containers(_template(obj)),
        selector(spec(obj).get("selector")),
    ]


def _controller_revision(obj: Object) -> Cells:
    holder, owner = controller_of(obj), NONE
    if holder is not None:
        group, _ = group_version(holder)
        kind = f"{holder.get('kind', '')}.{group}" if group else str(holder.get("kind", ""))
        owner = f"{kind.lower()}/{holder.get('name', '')}"
    return [name(obj), owner, obj.get("revision", 0), age(obj)]


def _job(obj: Object) -> Cells:
    return [
        name(obj),
        _job_status(obj),
        _completions(obj),
        _took(status(obj)),
        age(obj),
        *containers(_template(obj)),
        selector(spec(obj).get("selector")),
    ]


def _job_status(obj: Object) -> str:
    for kind, words in (("Complete", "Complete"), ("Failed", "Failed")):
        if has_condition(obj, kind):
            return words
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating"
    for kind, words in (
        ("Suspended", "Suspended"),
        ("FailureTarget", "FailureTarget"),
        ("SuccessCriteriaMet", "SuccessCriteriaMet"),
    ):
        if has_condition(obj, kind):
            return words
    return "Running"


def _completions(obj: Object) -> str:
    succeeded, wanted = status(obj).get("succeeded", 0), spec(obj).get("completions")
    if wanted is not None:
        return f"{succeeded}/{wanted}"
    at_once = spec(obj).get("parallelism") or 0
    return f"{succeeded}/1 of {at_once}" if at_once > 1 else f"{succeeded}/1"


def _took(now: Object) -> str:
    start, end = now.get("startTime"), now.get("completionTime")
    if not start:
        return ""
    return between(start, end) if end else since(start)


def _cron_job(obj: Object) -> Cells:
    job = part(spec(obj), "jobTemplate")
    last, paused = status(obj).get("lastScheduleTime"), spec(obj).get("suspend")
    return [
        name(obj),
        spec(obj).get("schedule", ""),
        spec(obj).get("timeZone", NONE),
        UNSET if paused is None else str(paused),
        len(status(obj).get("active") or ()),
        since(last) if last else NONE,
        age(obj),
        *containers(_template(job)),
        selector(spec(job).get("selector")),
    ]


def _disruption_budget(obj: Object) -> Cells:
    limits = (spec(obj).get(one, "N/A") for one in ("minAvailable", "maxUnavailable"))
    return [name(obj), *map(str, limits), status(obj).get("disruptionsAllowed", 0), age(obj)]


def _autoscaler(obj: Object) -> Cells:
    target = part(spec(obj), "scaleTargetRef")
    return [
        name(obj),
        f"{target.get('kind', '')}/{target.get('name', '')}",
        metrics(spec(obj).get("metrics") or [], status(obj).get("currentMetrics") or []),
        str(spec(obj).get("minReplicas", UNSET)),
        spec(obj).get("maxReplicas", 0),
        status(obj).get("currentReplicas", 0),
        age(obj),
    ]


PRINTERS = {
    "replicationcontrollers": Printer(_SETS, _replication_controller),
    "replicasets.apps": Printer(_SETS, _replica_set),
    "deployments.apps": Printer(
        (NAME, text("Ready"), text("Up-to-date"), text("Available"), AGE, *TEMPLATE, SELECTOR), _deployment
    ),
    "statefulsets.apps": Printer((NAME, text("Ready"), AGE, *TEMPLATE), _stateful_set),
    "daemonsets.apps": Printer(
        (
            NAME,
            *map(whole, ("Desired", "Current", "Ready", "Up-to-date", "Available")),
            text("Node Selector"),
            AGE,
            *TEMPLATE,
            SELECTOR,
        ),
        _daemon_set,
    ),
    "controllerrevisions.apps": Printer(
        (NAME, text("Controller"), text("Revision"), AGE), _controller_revision
    ),
    "jobs.batch": Printer(
        (NAME, text("Status"), text("Completions"), text("Duration"), AGE, *TEMPLATE, SELECTOR), _job
    ),
    "cronjobs.batch": Printer(
        (
            NAME,
            text("Schedule"),
            text("Timezone"),
            truth("Suspend"),
            whole("Active"),
            text("Last Schedule"),
            AGE,
            *TEMPLATE,
            SELECTOR,
        ),
        _cron_job,
    ),
    "poddisruptionbudgets.policy": Printer(
        (NAME, text("Min Available"), text("Max Unavailable"), whole("Allowed Disruptions"), AGE),
        _disruption_budget,
    ),
    "horizontalpodautoscalers.autoscaling": Printer(
        (NAME, *map(text, ("Reference", "Targets", "MinPods", "MaxPods", "Replicas")), AGE), _autoscaler
    ),
}
