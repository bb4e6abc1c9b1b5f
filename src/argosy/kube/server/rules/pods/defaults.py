"""What a pod or a pod template gets when it is silent. Volumes have a module of their own.

A template gets less than a pod: requests out of limits, service links and host ports come when the pod is made.
"""

from __future__ import annotations

from typing import Final

from argosy.kube import quantities
from argosy.kube.objects import Object
from argosy.kube.server.rules.pods import images
from argosy.kube.server.rules.pods.volume_defaults import default_volume

_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")


def default_template(template: Object) -> None:
    default_spec(template.setdefault("spec", {}))


def default_pod(pod: Object) -> None:
    spec = pod.setdefault("spec", {})
    default_spec(spec)
    for part in ("containers", "initContainers"):
        for container in spec.get(part) or ():
            _default_requests(container)
    if spec.get("resources"):
        _default_pod_resources(spec)
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    if spec.get("enableServiceLinks") is None:
        spec["enableServiceLinks"] = True
    if spec.get("hostNetwork"):
        _default_host_ports(spec)
    if status := pod.get("status"):
        _default_addresses(status)


def _default_addresses(status: Object) -> None:
    """`podIP` is the first of `podIPs`; where they differ, the older field counts."""
    first, listed = status.get("podIP"), status.get("podIPs")
    if first and (not listed or listed[0].get("ip") != first):
        status["podIPs"] = [{"ip": first}]
    elif listed and not first and listed[0].get("ip"):
        status["podIP"] = listed[0]["ip"]


def default_spec(spec: Object) -> None:
    for volume in spec.get("volumes") or ():
        default_volume(volume)
    for part in _CONTAINERS:
        for container in spec.get(part) or ():
            _default_container(container)
    if resources := spec.get("resources"):
        round_resources(resources)
    if overhead := spec.get("overhead"):
        round_quantities(overhead)
    if not spec.get("dnsPolicy"):
        spec["dnsPolicy"] = "ClusterFirst"
    if not spec.get("restartPolicy"):
        spec["restartPolicy"] = "Always"
    if spec.get("securityContext") is None:
        spec["securityContext"] = {}
    if spec.get("terminationGracePeriodSeconds") is None:
        spec["terminationGracePeriodSeconds"] = 30
    if not spec.get("schedulerName"):
        spec["schedulerName"] = "default-scheduler"
    if account := spec.get("serviceAccountName") or spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"] = account


def _default_container(container: Object) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = (
            "Always" if images.is_latest(container.get("image") or "") else "IfNotPresent"
        )
    if not container.get("terminationMessagePath"):
        container["terminationMessagePath"] = "/dev/termination-log"
    if not container.get("terminationMessagePolicy"):
        container["terminationMessagePolicy"] = "File"
    for port in container.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
    if resources := container.get("resources"):
        round_resources(resources)
    elif resources is None:
        container["resources"] = {}
    for variable in container.get("env") or ():
        if source := variable.get("valueFrom"):
            default_field_source(source)
    for name in _PROBES:
        if (probe := container.get(name)) is not None:
            _default_probe(probe)
    for handler in (container.get("lifecycle") or {}).values():
        if isinstance(handler, dict):
            _default_handler(handler)


def default_field_source(source: Object) -> None:
    """Of an environment variable or a downward API file."""
    if (field := source.get("fieldRef")) is not None and not field.get("apiVersion"):
        field["apiVersion"] = "v1"
    if (resource := source.get("resourceFieldRef")) is not None:
        divisor = resource.get("divisor")
        resource["divisor"] = quantities.canonical(divisor) if divisor is not None else "0"
    if (key := source.get("fileKeyRef")) is not None and key.get("optional") is None:
        key["optional"] = False


def _default_probe(probe: Object) -> None:
    if not probe.get("timeoutSeconds"):
        probe["timeoutSeconds"] = 1
    if not probe.get("periodSeconds"):
        probe["periodSeconds"] = 10
    if not probe.get("successThreshold"):
        probe["successThreshold"] = 1
    if not probe.get("failureThreshold"):
        probe["failureThreshold"] = 3
    _default_handler(probe)


def _default_handler(handler: Object) -> None:
    if (http := handler.get("httpGet")) is not None:
        if not http.get("path"):
            http["path"] = "/"
        if not http.get("scheme"):
            http["scheme"] = "HTTP"
    if (grpc := handler.get("grpc")) is not None and grpc.get("service") is None:
        grpc["service"] = ""


def round_resources(resources: Object) -> None:
    for part in ("limits", "requests"):
        if amounts := resources.get(part):
            round_quantities(amounts)


def round_quantities(amounts: Object) -> None:
    for name, written in amounts.items():
        amounts[name] = quantities.in_milli(written)


def _default_requests(container: Object) -> None:
    resources = container.get("resources") or {}
    if not (limits := resources.get("limits")):
        return
    requests = resources.setdefault("requests", {})
    for name, limit in limits.items():
        requests.setdefault(name, limit)


def _default_host_ports(spec: Object) -> None:
    for part in ("containers", "initContainers"):
        for container in spec.get(part) or ():
            for port in container.get("ports") or ():
                if not port.get("hostPort") and port.get("containerPort"):
                    port["hostPort"] = port["containerPort"]


def _default_pod_resources(spec: Object) -> None:
    """The pod's own requests: what its containers ask together, else its limits."""
    resources = spec["resources"]
    huge = {name: sum_ for name, sum_ in aggregate(spec, "limits").items() if name.startswith("hugepages-")}
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    if limits or requests:
        missing = {name: value for name, value in huge.items() if name not in requests and name not in limits}
        if missing:
            resources["limits"] = limits = {**limits, **missing}
    if not limits:
        return
    for name, value in aggregate(spec, "requests").items():
        if name in {"cpu", "memory"} and name not in requests:
            requests[name] = value
    for name, value in limits.items():
        if name not in requests and (name in {"cpu", "memory"} or name.startswith("hugepages-")):
            requests[name] = value
    if requests:
        resources["requests"] = requests


def aggregate(spec: Object, part: str) -> dict[str, str]:
    """What all containers want of each resource: the running ones together, or one that starts before them, whichever is more."""
    running = _summed(spec.get("containers") or (), part)
    sidecars: dict[str, quantities.Quantity] = {}
    starting: dict[str, quantities.Quantity] = {}
    for container in spec.get("initContainers") or ():
        wanted = _amounts(container, part)
        if container.get("restartPolicy") == "Always":
            running, sidecars = _added(running, wanted), _added(sidecars, wanted)
            wanted = sidecars
        else:
            wanted = _added(wanted, sidecars)
        starting = _larger(starting, wanted)
    return {name: one.text for name, one in _larger(running, starting).items()}


def _amounts(container: Object, part: str) -> dict[str, quantities.Quantity]:
    listed = (container.get("resources") or {}).get(part) or {}
    return {name: quantities.parse(written) for name, written in listed.items()}


def _summed(containers: object, part: str) -> dict[str, quantities.Quantity]:
    total: dict[str, quantities.Quantity] = {}
    if isinstance(containers, list):
        for container in containers:
            total = _added(total, _amounts(container, part))
    return total


def _added(
    left: dict[str, quantities.Quantity], right: dict[str, quantities.Quantity]
) -> dict[str, quantities.Quantity]:
    total = dict(left)
    for name, one in right.items():
        total[name] = quantities.plus(total[name], one) if name in total else one
    return total


def _larger(
    left: dict[str, quantities.Quantity], right: dict[str, quantities.Quantity]
) -> dict[str, quantities.Quantity]:
    return left | {name: one for name, one in right.items() if name not in left or one.nano > left[name].nano}
