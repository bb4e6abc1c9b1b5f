"""The cluster itself: nodes, namespaces, what happened, and the small kinds that hold settings."""

from __future__ import annotations

from argosy.kube.objects import Object, labels_of
from argosy.kube.server.tables.ages import since
from argosy.kube.server.tables.printer import (
    AGE,
    NAME,
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
    wide,
)
from argosy.kube.server.tables.wording import NONE, condition

_ROLE_PREFIX, _ROLE = "node-role.kubernetes.io/", "kubernetes.io/role"


def _node(obj: Object) -> Cells:
    info = part(status(obj), "nodeInfo")
    kernel, unknown = info.get("kernelVersion") or "<unknown>", "<unknown>"
    return [
        name(obj),
        _node_status(obj),
        ",".join(_roles(obj)) or NONE,
        age(obj),
        info.get("kubeletVersion", ""),
        _node_address(obj, "InternalIP"),
        _node_address(obj, "ExternalIP"),
        info.get("osImage") or unknown,
        f"{kernel} ({info['architecture']})" if info.get("architecture") else kernel,
        info.get("containerRuntimeVersion") or unknown,
    ]


def _node_status(obj: Object) -> str:
    ready = None
    for one in status(obj).get("conditions") or ():
        ready = one if one.get("type") == "Ready" else ready
    told = "Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"
    return f"{told},SchedulingDisabled" if spec(obj).get("unschedulable") else told


def _roles(obj: Object) -> list[str]:
    found = set()
    for key, value in labels_of(obj).items():
        if key.startswith(_ROLE_PREFIX):
            found.add(key.removeprefix(_ROLE_PREFIX))
        elif key == _ROLE:
            found.add(value)
    return sorted(found - {""})


def _node_address(obj: Object, kind: str) -> str:
    found = (one for one in status(obj).get("addresses") or () if one.get("type") == kind)
    return next((str(one.get("address", "")) for one in found), NONE)


def _namespace(obj: Object) -> Cells:
    return [name(obj), status(obj).get("phase", ""), age(obj)]


def _event(obj: Object) -> Cells:
    happened = obj.get("eventTime")
    first = since(obj.get("firstTimestamp") or happened)
    last = since(obj["lastTimestamp"]) if obj.get("lastTimestamp") else first
    count = obj.get("count") or 1
    series = obj.get("series")
    if series is not None:
        last, count = since(series.get("lastObservedTime")), series.get("count", 0)
    about = part(obj, "involvedObject")
    kind = str(about.get("kind", "")).lower()
    return [
        last,
        obj.get("type", ""),
        obj.get("reason", ""),
        f"{kind}/{about['name']}" if about.get("name") else kind,
        about.get("fieldPath", ""),
        _source(obj),
        str(obj.get("message", "")).strip(),
        first,
        count,
        name(obj),
    ]


def _source(obj: Object) -> str:
    source = part(obj, "source")
    component = source.get("component") or obj.get("reportingComponent") or ""
    instance = source.get("host") or obj.get("reportingInstance") or ""
    return f"{component}, {instance}" if instance else str(component)


def _secret(obj: Object) -> Cells:
    return [name(obj), obj.get("type", ""), len(obj.get("data") or ()), age(obj)]


def _config_map(obj: Object) -> Cells:
    return [name(obj), len(obj.get("data") or ()) + len(obj.get("binaryData") or ()), age(obj)]


def _named(obj: Object) -> Cells:
    return [name(obj), age(obj)]


def _quota(obj: Object) -> Cells:
    hard, used = part(status(obj), "hard"), part(status(obj), "used")
    told: dict[bool, list[str]] = {False: [], True: []}
    for resource in sorted(hard):
        told[resource.startswith("limits.")].append(f"{resource}: {used.get(resource, '0')}/{hard[resource]}")
    return [name(obj), ", ".join(told[False]), ", ".join(told[True]), age(obj)]


def _lease(obj: Object) -> Cells:
    return [name(obj), spec(obj).get("holderIdentity", ""), age(obj)]


def _priority_class(obj: Object) -> Cells:
    default = obj.get("globalDefault", False)
    return [name(obj), obj.get("value", 0), default, age(obj), obj.get("preemptionPolicy", "")]


def _runtime_class(obj: Object) -> Cells:
    return [name(obj), obj.get("handler", ""), age(obj)]


def _component(obj: Object) -> Cells:
    healthy = next((one for one in obj.get("conditions") or () if one.get("type") == "Healthy"), None)
    if healthy is None:
        return [name(obj), "Unknown", "", ""]
    told = "Healthy" if healthy.get("status") == "True" else "Unhealthy"
    return [name(obj), told, healthy.get("message", ""), healthy.get("error", "")]


def _api_service(obj: Object) -> Cells:
    service, available = spec(obj).get("service"), condition(obj, "Available")
    where = "Local" if service is None else f"{service.get('namespace', '')}/{service.get('name', '')}"
    told = "Unknown"
    if available is not None:
        told = str(available.get("status", ""))
        if told != "True" and available.get("reason"):
            told = f"{told} ({available['reason']})"
    return [name(obj), where, told, age(obj)]


PRINTERS = {
    "nodes": Printer(
        (
            NAME,
            text("Status"),
            text("Roles"),
            AGE,
            text("Version"),
            *map(wide, ("Internal-IP", "External-IP", "OS-Image", "Kernel-Version", "Container-Runtime")),
        ),
        _node,
    ),
    "namespaces": Printer((NAME, text("Status"), AGE), _namespace),
    "events": Printer(
        (
            *map(text, ("Last Seen", "Type", "Reason", "Object")),
            wide("Subobject"),
            wide("Source"),
            text("Message"),
            wide("First Seen"),
            wide("Count"),
            wide("Name", format="name"),
        ),
        _event,
    ),
    "secrets": Printer((NAME, text("Type"), text("Data"), AGE), _secret),
    "configmaps": Printer((NAME, text("Data"), AGE), _config_map),
    "serviceaccounts": Printer((NAME, AGE), _named),
    "resourcequotas": Printer((NAME, text("Request"), text("Limit"), AGE), _quota),
    "leases.coordination.k8s.io": Printer((NAME, text("Holder"), AGE), _lease),
    "priorityclasses.scheduling.k8s.io": Printer(
        (NAME, whole("Value"), truth("Global-Default"), AGE, text("PreemptionPolicy")), _priority_class
    ),
    "runtimeclasses.node.k8s.io": Printer((NAME, text("Handler", ""), AGE), _runtime_class),
    "componentstatuses": Printer((NAME, text("Status"), text("Message"), text("Error")), _component),
    "apiservices.apiregistration.k8s.io": Printer(
        (NAME, text("Service"), text("Available"), AGE), _api_service
    ),
}
