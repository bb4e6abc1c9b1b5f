"""Where a container mounts its pod's volumes, and which of them it takes as devices."""

from __future__ import annotations

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules.pods.paths import check_descending, check_no_backsteps
from argosy.kube.server.rules.wording import forbidden, invalid, not_found, not_supported, required


def check_mounts(container: Object, volumes: Object, path: str) -> list[Cause]:
    devices = {
        one.get("name") or "": one.get("devicePath") or "" for one in container.get("volumeDevices") or ()
    }
    causes: list[Cause] = []
    targets: set[str] = set()
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        here = f"{path}[{index}]"
        name, target = mount.get("name") or "", mount.get("mountPath") or ""
        if not name:
            causes.append(required(f"{here}.name"))
        if name not in volumes:
            causes.append(not_found(f"{here}.name", name))
        if not target:
            causes.append(required(f"{here}.mountPath"))
        if target in targets:
            causes.append(invalid(f"{here}.mountPath", target, "must be unique"))
        targets.add(target)
        if name in devices:
            causes.append(invalid(f"{here}.name", name, "must not already exist in volumeDevices"))
        if target in devices.values():
            told = "must not already exist as a path in volumeDevices"
            causes.append(invalid(f"{here}.mountPath", target, told))
        causes += _check_mount(mount, container, path, here)
    return causes


def _check_mount(mount: Object, container: Object, path: str, here: str) -> list[Cause]:
    causes: list[Cause] = []
    inside, expression = mount.get("subPath"), mount.get("subPathExpr")
    if inside:
        causes += check_descending(inside, f"{path}.subPath")
    if expression:
        if inside:
            told = "subPathExpr and subPath are mutually exclusive"
            causes.append(invalid(f"{here}.subPathExpr", expression, told))
        causes += check_descending(expression, f"{path}.subPathExpr")
    if (propagation := mount.get("mountPropagation")) is not None:
        causes += _check_propagation(propagation, container, f"{path}.mountPropagation")
    if (recursive := mount.get("recursiveReadOnly")) is not None:
        causes += _check_recursive(recursive, mount, f"{path}.recursiveReadOnly")
    return causes


def _check_propagation(propagation: str, container: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if propagation not in {"Bidirectional", "HostToContainer", "None"}:
        causes.append(not_supported(path, propagation, ("Bidirectional", "HostToContainer", "None")))
    if propagation == "Bidirectional" and not (container.get("securityContext") or {}).get("privileged"):
        told = "Bidirectional mount propagation is available only to privileged containers"
        causes.append(forbidden(path, told))
    return causes


def _check_recursive(recursive: str, mount: Object, path: str) -> list[Cause]:
    if recursive == "Disabled":
        return []
    if recursive not in {"Enabled", "IfPossible"}:
        return [not_supported(path, recursive, ("Disabled", "Enabled", "IfPossible"))]
    causes = [] if mount.get("readOnly") else [forbidden(path, "may only be specified when readOnly is true")]
    if mount.get("mountPropagation") not in {None, "None"}:
        told = "may only be specified when mountPropagation is None or not specified"
        causes.append(forbidden(path, told))
    return causes


def check_devices(container: Object, volumes: Object, path: str) -> list[Cause]:
    mounts = {
        one.get("name") or "": one.get("mountPath") or "" for one in container.get("volumeMounts") or ()
    }
    causes: list[Cause] = []
    names: set[str] = set()
    targets: set[str] = set()
    for index, device in enumerate(container.get("volumeDevices") or ()):
        here = f"{path}[{index}]"
        name, target = device.get("name") or "", device.get("devicePath") or ""
        causes += _check_device_name(name, names, volumes, f"{here}.name")
        if not target:
            causes.append(required(f"{here}.devicePath"))
        if target in targets:
            causes.append(invalid(f"{here}.devicePath", target, "must be unique"))
        if check_no_backsteps(target, path):
            causes.append(invalid(f"{here}.devicePath", target, "can not contain backsteps ('..')"))
        else:
            targets.add(target)
        if name in mounts:
            causes.append(invalid(f"{here}.name", name, "must not already exist in volumeMounts"))
        if target in mounts.values():
            told = "must not already exist as a path in volumeMounts"
            causes.append(invalid(f"{here}.devicePath", target, told))
        if name:
            names.add(name)
    return causes


def _check_device_name(name: str, names: set[str], volumes: Object, path: str) -> list[Cause]:
    causes = [] if name else [required(path)]
    if name in names:
        causes.append(invalid(path, name, "must be unique"))
    volume = volumes.get(name)
    if volume is None:
        causes.append(not_found(path, name))
    elif volume.get("persistentVolumeClaim") is None and volume.get("ephemeral") is None:
        told = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        causes.append(invalid(path, name, told))
    return causes
