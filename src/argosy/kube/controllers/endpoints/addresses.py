"""The pods behind a Service, as endpoints: address, state, and the number of each of its ports. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from argosy.kube.controllers.pods.state import is_going, is_ready, is_terminal
from argosy.kube.objects import Object, name_of, namespace_of, uid_of

HEADLESS = "service.kubernetes.io/headless"


class Endpoint(NamedTuple):
    address: str
    ready: bool
    serving: bool
    terminating: bool
    node: str
    hostname: str
    pod: Object
    ports: tuple[tuple[str, int, str, str], ...]
    """Name, number, protocol, application protocol."""


def endpoints(service: Object, pods: Iterable[Object]) -> list[Endpoint]:
    """`pods`: those that the Service selects."""
    everybody = bool(service["spec"].get("publishNotReadyAddresses"))
    found = []
    for pod in pods:
        address = (pod.get("status") or {}).get("podIP")
        if not address or is_terminal(pod):
            continue
        serving, terminating = is_ready(pod), is_going(pod)
        found.append(
            Endpoint(
                address,
                everybody or (serving and not terminating),
                serving,
                terminating,
                pod["spec"].get("nodeName", ""),
                _hostname(service, pod),
                {"kind": "Pod", "namespace": namespace_of(pod), "name": name_of(pod), "uid": uid_of(pod)},
                _ports(service, pod),
            )
        )
    return sorted(found, key=lambda one: (one.ports, one.pod["name"]))


def is_headless(service: Object) -> bool:
    return bool(service["spec"].get("clusterIP") == "None")


def _hostname(service: Object, pod: Object) -> str:
    mine = pod["spec"].get("subdomain") == name_of(service)
    return pod["spec"].get("hostname", "") if mine else ""


def _ports(service: Object, pod: Object) -> tuple[tuple[str, int, str, str], ...]:
    found = []
    for port in service["spec"].get("ports") or ():
        number = _number(port, pod)
        if number:
            protocol = port.get("protocol", "TCP")
            found.append((port.get("name", ""), number, protocol, port.get("appProtocol", "")))
    return tuple(found)


def _number(port: Object, pod: Object) -> int:
    """A port that the pod names, or 0 when it names none such."""
    target = port.get("targetPort") or port["port"]
    if isinstance(target, int):
        return target
    for container in [*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ())]:
        for one in container.get("ports") or ():
            if one.get("name") == target and one.get("protocol", "TCP") == port.get("protocol", "TCP"):
                return int(one["containerPort"])
    return 0
