"""Pods that share something with their node, and pods for an operating system."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.pods.annotations import CONTAINERS
from argosy.kube.server.rules.wording import (
    each,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
    too_long,
)

_NO_USERS: Final = "when `hostUsers` is false"
_NOT_WINDOWS: Final = "cannot be set for a windows pod"
_POD_LINUX: Final = (
    ("appArmorProfile", "securityContext."),
    ("seLinuxOptions", "securityContext."),
    ("hostUsers", ""),
    ("hostPID", ""),
    ("hostIPC", ""),
    ("seccompProfile", "securityContext."),
    ("fsGroup", "securityContext."),
    ("fsGroupChangePolicy", "securityContext."),
    ("sysctls", "securityContext."),
    ("shareProcessNamespace", ""),
    ("runAsUser", "securityContext."),
    ("runAsGroup", "securityContext."),
    ("supplementalGroups", "securityContext."),
    ("supplementalGroupsPolicy", "securityContext."),
    ("seLinuxChangePolicy", "securityContext."),
)
_CONTAINER_LINUX: Final = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)


def each_container(spec: Object, path: str) -> Iterator[tuple[Object, str]]:
    for part in CONTAINERS:
        for index, container in enumerate(spec.get(part) or ()):
            yield container, f"{path}.{part}[{index}]"


def check_hosts(spec: Object, path: str) -> list[Cause]:
    causes = _check_host_process(spec, path)
    if spec.get("hostUsers") is False:
        causes += [
            forbidden(f"{path}.{told}", _NO_USERS)
            for field, told in (
                ("hostNetwork", "hostNetwork"),
                ("hostPID", "HostPID"),
                ("hostIPC", "HostIPC"),
            )
            if spec.get(field)
        ]
        causes += [
            forbidden(f"{here}.volumeDevices", _NO_USERS)
            for container, here in each_container(spec, path)
            if container.get("volumeDevices")
        ]
    if (name := spec.get("hostnameOverride")) is not None:
        causes += _check_hostname(name, spec, f"{path}.hostnameOverride")
    return causes


def _check_hostname(name: str, spec: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if spec.get("setHostnameAsFQDN"):
        causes.append(forbidden(path, "may not be specified when setHostnameAsFQDN is true"))
    if spec.get("hostNetwork"):
        causes.append(forbidden(path, "may not be specified when hostNetwork is true"))
    if len(name) > 64:
        causes.append(too_long(path, 64))
    return causes + each(path, name, formats.subdomain(name))


def _host_process(holder: Object) -> bool | None:
    found = ((holder.get("securityContext") or {}).get("windowsOptions") or {}).get("hostProcess")
    return found if isinstance(found, bool) else None


def _check_host_process(spec: Object, path: str) -> list[Cause]:
    of_pod = _host_process(spec)
    causes: list[Cause] = []
    total = processes = 0
    for container, here in each_container(spec, path):
        total += 1
        own = _host_process(container)
        if of_pod is not None and own is not None and of_pod != own:
            told = f"pod hostProcess value must be identical if both are specified, was {str(of_pod).lower()}"
            causes.append(invalid(f"{here}.securityContext.windowsOptions.hostProcess", own, told))
        processes += bool(of_pod if own is None else own)
    if processes:
        if processes != total:
            told = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
            causes.append(invalid(path, "", told))
        if not spec.get("hostNetwork"):
            told = "hostNetwork must be true if pod contains any hostProcess containers"
            causes.append(invalid(f"{path}.hostNetwork", False, told))
    return causes


def check_system(spec: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if (system := spec.get("os")) is not None:
        name = system.get("name") or ""
        if not name:
            causes.append(required(f"{path}.os.name"))
        elif name == "linux":
            causes += _check_linux(spec, path)
        elif name == "windows":
            causes += _check_windows(spec, path)
        else:
            causes.append(not_supported(f"{path}.os", name, ("linux", "windows")))
    return causes + _check_files(spec, path)


def _check_linux(spec: Object, path: str) -> list[Cause]:
    told = "windows options cannot be set for a linux pod"
    holders = [(spec, path), *each_container(spec, path)]
    return [
        forbidden(f"{here}.securityContext.windowsOptions", told)
        for holder, here in holders
        if (holder.get("securityContext") or {}).get("windowsOptions") is not None
    ]


def _check_windows(spec: Object, path: str) -> list[Cause]:
    context = spec.get("securityContext") or {}
    causes: list[Cause] = []
    for field, prefix in _POD_LINUX:
        value = context.get(field) if prefix else spec.get(field)
        unset = value is None or (field in {"hostPID", "hostIPC", "sysctls"} and not value)
        if not unset:
            causes.append(forbidden(f"{path}.{prefix}{field}", _NOT_WINDOWS))
    for container, here in each_container(spec, path):
        own = container.get("securityContext") or {}
        causes += [
            forbidden(f"{here}.securityContext.{field}", _NOT_WINDOWS)
            for field in _CONTAINER_LINUX
            if own.get(field) is not None
        ]
    return causes


def _check_files(spec: Object, path: str) -> list[Cause]:
    """Variables that come out of files: those are in a volume of the pod's own."""
    causes: list[Cause] = []
    for container, here in each_container(spec, path):
        for index, variable in enumerate(container.get("env") or ()):
            file = (variable.get("valueFrom") or {}).get("fileKeyRef")
            if file is None:
                continue
            name = file.get("volumeName") or ""
            where = f"{here}.env[{index}].valueFrom.fileKeyRef.volumeName"
            volume = next((one for one in spec.get("volumes") or () if one.get("name") == name), None)
            if volume is None:
                causes.append(not_found(where, name))
            elif volume.get("emptyDir") is None:
                causes.append(invalid(where, name, "referenced volume must be of type emptyDir"))
    return causes
