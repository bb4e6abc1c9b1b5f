"""Containers: the running ones, those that start before them, and those that a person adds to look around."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, resources
from argosy.kube.server.rules.pods.environment import check_environment, check_environment_sources
from argosy.kube.server.rules.pods.mounts import check_devices, check_mounts
from argosy.kube.server.rules.pods.probes import check_lifecycle, check_probes
from argosy.kube.server.rules.pods.security import check_container_context
from argosy.kube.server.rules.pods.volumes import check_pull_policy
from argosy.kube.server.rules.wording import (
    duplicate,
    each,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
    too_many,
)

_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_MESSAGES: Final = ("File", "FallbackToLogsOnError")
_RESTARTS: Final = ("Always", "Never", "OnFailure")
_ONLY_ALWAYS: Final = "may not be set for init containers without restartPolicy=Always"
_NOT_EPHEMERAL: Final = (
    *("ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules"),
    *("livenessProbe", "readinessProbe", "startupProbe", "lifecycle"),
)


class Surroundings:
    """What a container's validity depends on beside itself."""

    __slots__ = ("claims", "grace", "host_users", "restart_policy", "volumes")

    def __init__(self, spec: Object, volumes: Object) -> None:
        self.volumes = volumes
        self.grace: int | None = spec.get("terminationGracePeriodSeconds")
        self.restart_policy = spec.get("restartPolicy") or ""
        self.host_users = spec.get("hostUsers") is not False
        self.claims = {one["name"] for one in spec.get("resourceClaims") or () if one.get("name")}


def check_containers(containers: list[Object], around: Surroundings, path: str) -> list[Cause]:
    if not containers:
        return [required(path)]
    causes: list[Cause] = []
    names: set[str] = set()
    for index, container in enumerate(containers):
        here = f"{path}[{index}]"
        causes += _check(container, around, here)
        name = container.get("name") or ""
        if name in names:
            causes.append(duplicate(f"{here}.name", name))
        names.add(name)
        if (lifecycle := container.get("lifecycle")) is not None:
            causes += check_lifecycle(lifecycle, around.grace, f"{here}.lifecycle")
        causes += check_probes(container, around.grace, here)
        causes += _check_restart(container, here)
    return causes + _check_host_ports(containers, path)


def check_init_containers(
    containers: list[Object], running: list[Object], around: Surroundings, path: str
) -> list[Cause]:
    causes: list[Cause] = []
    names = {one.get("name") or "" for one in running}
    for index, container in enumerate(containers):
        here = f"{path}[{index}]"
        causes += _check(container, around, here)
        always = container.get("restartPolicy") == "Always"
        causes += _check_restart(container, here, starter=True)
        name = container.get("name") or ""
        if name in names:
            causes.append(duplicate(f"{here}.name", name))
        elif name:
            names.add(name)
        causes += _check_host_ports([container], path)
        if always:
            if (lifecycle := container.get("lifecycle")) is not None:
                causes += check_lifecycle(lifecycle, around.grace, f"{here}.lifecycle")
            causes += check_probes(container, around.grace, here)
        else:
            causes += _check_starter(container, here)
    return causes


def _check_starter(container: Object, path: str) -> list[Cause]:
    causes = [
        forbidden(f"{path}.{field}", _ONLY_ALWAYS)
        for field in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
        if container.get(field) is not None
    ]
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            told = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            here = f"{path}.resizePolicy[{index}].restartPolicy"
            causes.append(invalid(here, "RestartContainer", told))
    return causes


def check_ephemeral_containers(
    containers: list[Object], spec: Object, around: Surroundings, path: str
) -> list[Cause]:
    others = {
        one.get("name") or ""
        for one in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    }
    names = set(others)
    causes: list[Cause] = []
    for index, container in enumerate(containers):
        here = f"{path}[{index}]"
        causes += _check(container, around, here)
        causes += check_image(container, here)
        name, target = container.get("name") or "", container.get("targetContainerName") or ""
        if name in names:
            causes.append(duplicate(f"{here}.name", name))
        names.add(name)
        if target and target not in others:
            causes.append(not_found(f"{here}.targetContainerName", target))
        causes += [
            forbidden(f"{here}.{field}", "cannot be set for an Ephemeral Container")
            for field in _NOT_EPHEMERAL
            if container.get(field)
        ]
        for number, mount in enumerate(container.get("volumeMounts") or ()):
            causes += [
                forbidden(
                    f"{here}.volumeMounts[{number}].{field}", "cannot be set for an Ephemeral Container"
                )
                for field in ("subPath", "subPathExpr")
                if mount.get(field)
            ]
    return causes


def _check(container: Object, around: Surroundings, path: str) -> list[Cause]:
    """What all of them have in common. It runs for every container of every write, so it only looks where something is."""
    causes: list[Cause] = []
    if name := container.get("name"):
        if told := formats.dns_label(name):
            causes += each(f"{path}.name", name, told)
    else:
        causes.append(required(f"{path}.name"))
    if not container.get("image"):
        causes.append(required(f"{path}.image"))
    message = container.get("terminationMessagePolicy") or ""
    if message not in _MESSAGES:
        here = f"{path}.terminationMessagePolicy"
        causes.append(not_supported(here, message, _MESSAGES) if message else required(here))
    if ports := container.get("ports"):
        causes += _check_ports(ports, f"{path}.ports")
    if environment := container.get("env"):
        causes += check_environment(environment, f"{path}.env")
    if sources := container.get("envFrom"):
        causes += check_environment_sources(sources, f"{path}.envFrom")
    if container.get("volumeMounts"):
        causes += check_mounts(container, around.volumes, f"{path}.volumeMounts")
    if container.get("volumeDevices"):
        causes += check_devices(container, around.volumes, f"{path}.volumeDevices")
    causes += check_pull_policy(container.get("imagePullPolicy") or "", f"{path}.imagePullPolicy")
    if wanted := container.get("resources"):
        causes += resources.check_container(wanted, f"{path}.resources", around.claims)
    if policies := container.get("resizePolicy"):
        causes += _check_resize(policies, around.restart_policy, f"{path}.resizePolicy")
    if context := container.get("securityContext"):
        causes += check_container_context(context, f"{path}.securityContext", host_users=around.host_users)
    return causes


def check_image(container: Object, path: str) -> list[Cause]:
    """Of a pod, not of a template."""
    image = container.get("image") or ""
    if image.strip() == image:
        return []
    return [invalid(f"{path}.image", image, "must not have leading or trailing whitespace")]


def _check_ports(ports: list[Object], path: str) -> list[Cause]:
    causes: list[Cause] = []
    names: set[str] = set()
    for index, port in enumerate(ports):
        here = f"{path}[{index}]"
        if name := port.get("name"):
            if told := formats.port_name(name):
                causes += each(f"{here}.name", name, told)
            elif name in names:
                causes.append(duplicate(f"{here}.name", name))
            names.add(name)
        if number := port.get("containerPort"):
            causes += each(f"{here}.containerPort", number, formats.port_number(number))
        else:
            causes.append(required(f"{here}.containerPort"))
        if number := port.get("hostPort"):
            causes += each(f"{here}.hostPort", number, formats.port_number(number))
        causes += check_protocol(port.get("protocol") or "", f"{here}.protocol")
    return causes


def check_protocol(protocol: str, path: str) -> list[Cause]:
    if protocol in _PROTOCOLS:
        return []
    return [not_supported(path, protocol, _PROTOCOLS) if protocol else required(path)]


def _check_host_ports(containers: list[Object], path: str) -> list[Cause]:
    causes: list[Cause] = []
    taken: set[str] = set()
    for index, container in enumerate(containers):
        for number, port in enumerate(container.get("ports") or ()):
            if not (host := port.get("hostPort")):
                continue
            told = f"{port.get('protocol') or ''}/{port.get('hostIP') or ''}/{host}"
            if told in taken:
                causes.append(duplicate(f"{path}[{index}].ports[{number}].hostPort", told))
            taken.add(told)
    return causes


def _check_resize(policies: list[Object], restart: str, path: str) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, one in enumerate(policies):
        name, policy = one.get("resourceName") or "", one.get("restartPolicy") or ""
        if name in seen:
            causes.append(duplicate(f"{path}[{index}]", name))
        seen.add(name)
        if name not in {"cpu", "memory"}:
            causes.append(not_supported(path, name, ("cpu", "memory")) if name else required(path))
        if policy not in {"NotRequired", "RestartContainer"}:
            known = ("NotRequired", "RestartContainer")
            causes.append(not_supported(path, policy, known) if policy else required(path))
        if restart == "Never" and policy != "NotRequired":
            told = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            causes.append(invalid(path, policy, told))
    return causes


def _check_restart(container: Object, path: str, *, starter: bool = False) -> list[Cause]:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or []
    if policy is None and not rules:
        return []
    causes: list[Cause] = []
    if policy is None:
        told = "must specify restartPolicy when restart rules are used"
        wrong = required(f"{path}.restartPolicy", told)
        return [wrong] if starter else [wrong, *_check_restart_rules(rules, path)]
    if policy not in _RESTARTS:
        causes.append(not_supported(f"{path}.restartPolicy", policy, _RESTARTS))
    return causes + _check_restart_rules(rules, path)


def _check_restart_rules(rules: list[Object], path: str) -> list[Cause]:
    here = f"{path}.restartPolicyRules"
    causes = [too_many(here, len(rules), 20)] if len(rules) > 20 else []
    for index, rule in enumerate(rules):
        action, codes = rule.get("action") or "", rule.get("exitCodes")
        if action not in {"Restart", "RestartAllContainers"}:
            causes.append(
                not_supported(f"{here}[{index}].action", action, ("Restart", "RestartAllContainers"))
            )
        if codes is None:
            causes.append(required(f"{here}[{index}].exitCodes", "must be specified"))
            continue
        operator, values = codes.get("operator") or "", codes.get("values") or []
        if operator not in {"In", "NotIn"}:
            causes.append(not_supported(f"{here}[{index}].exitCodes.operator", operator, ("In", "NotIn")))
        if len(values) > 255:
            causes.append(too_many(f"{here}[{index}].exitCodes.values", len(values), 255))
    return causes
