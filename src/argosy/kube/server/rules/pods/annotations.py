"""The annotations of a pod that mean something to the API server."""

from __future__ import annotations

import json
import re
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules.pods.paths import check_descending
from argosy.kube.server.rules.pods.scheduling import check_tolerations
from argosy.kube.server.rules.wording import forbidden, invalid

MIRROR: Final = "kubernetes.io/config.mirror"
APP_ARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
SECCOMP_POD: Final = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER: Final = "container.seccomp.security.alpha.kubernetes.io/"
_TOLERATIONS: Final = "scheduler.alpha.kubernetes.io/tolerations"
_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_is_cost = re.compile(r"-?[1-9][0-9]{0,9}|-?0|-0[0-9]*").fullmatch
CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")


def check_annotations(annotations: dict[str, str], spec: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if MIRROR in annotations and not spec.get("nodeName"):
        told = "must set spec.nodeName if mirror pod annotation is set"
        causes.append(invalid(f"{path}[{MIRROR}]", annotations[MIRROR], told))
    if text := annotations.get(_TOLERATIONS):
        causes += _check_tolerations(text, path)
    cost = annotations.get(_DELETION_COST)
    if cost is not None and not (_is_cost(cost) and -(2**31) <= int(cost) < 2**31):
        causes.append(invalid(f"{path}[{_DELETION_COST}]", cost, "must be a 32bit integer"))
    for key, value in annotations.items():
        if key == SECCOMP_POD or key.startswith(SECCOMP_CONTAINER):
            causes += _check_seccomp(value, f"{path}.{key}")
    for key, value in annotations.items():
        if key.startswith(APP_ARMOR):
            causes += _check_app_armor(key, value, spec, path)
    return causes


def _check_tolerations(text: str, path: str) -> list[Cause]:
    try:
        found = json.loads(text)
    except ValueError as error:
        return [invalid(path, _TOLERATIONS, str(error))]
    except RecursionError:
        return [invalid(path, _TOLERATIONS, "exceeded max depth")]
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        told = "json: cannot unmarshal into Go value of type []core.Toleration"
        return [invalid(path, _TOLERATIONS, told)]
    plain = [{key: value for key, value in one.items() if isinstance(value, str)} for one in found]
    return check_tolerations(plain, f"{path}.{_TOLERATIONS}")


def _check_seccomp(value: str, path: str) -> list[Cause]:
    if value in {"runtime/default", "docker/default", "unconfined"}:
        return []
    if value.startswith("localhost/"):
        return check_descending(value.removeprefix("localhost/"), path)
    return [invalid(path, value, "must be a valid seccomp profile")]


def _check_app_armor(key: str, value: str, spec: Object, path: str) -> list[Cause]:
    name = key.removeprefix(APP_ARMOR)
    causes: list[Cause] = []
    if not any(one.get("name") == name for part in CONTAINERS for one in spec.get(part) or ()):
        causes.append(invalid(f"{path}[{key}]", name, "container not found"))
    if value not in {"", "runtime/default", "unconfined"} and not value.startswith("localhost/"):
        causes.append(invalid(f"{path}[{key}]", value, f'invalid AppArmor profile name: "{value}"'))
    return causes


def check_annotations_update(new: dict[str, str], old: dict[str, str], path: str) -> list[Cause]:
    causes: list[Cause] = []
    for key, value in old.items():
        if new.get(key) == value:
            continue
        if key.startswith(APP_ARMOR):
            causes.append(forbidden(f"{path}[{key}]", "may not remove or update AppArmor annotations"))
        if key == MIRROR:
            causes.append(forbidden(f"{path}[{key}]", "may not remove or update mirror pod annotation"))
    for key in new:
        if key in old:
            continue
        if key.startswith(APP_ARMOR):
            causes.append(forbidden(f"{path}[{key}]", "may not add AppArmor annotations"))
        if key == MIRROR:
            causes.append(forbidden(f"{path}[{key}]", "may not add mirror pod annotation"))
    return causes


def check_annotations_match(annotations: dict[str, str], spec: Object, path: str) -> list[Cause]:
    """What both an annotation and a field say must agree."""
    if not annotations:
        return []
    causes: list[Cause] = []
    context = spec.get("securityContext") or {}
    seccomp = context.get("seccompProfile")
    if seccomp is not None and SECCOMP_POD in annotations:
        here = f"{path}.securityContext.seccompProfile"
        causes += _match(annotations[SECCOMP_POD], seccomp, here, "seccomp")
    for kind, prefix, field in (
        ("seccomp", SECCOMP_CONTAINER, "seccompProfile"),
        ("apparmor", APP_ARMOR, "appArmorProfile"),
    ):
        for part in CONTAINERS:
            for index, container in enumerate(spec.get(part) or ()):
                profile = (container.get("securityContext") or {}).get(field)
                if profile is None and kind == "apparmor":
                    profile = context.get(field)
                value = annotations.get(prefix + (container.get("name") or ""))
                if profile is not None and value is not None:
                    here = f"{path}.{part}[{index}].securityContext.{field}"
                    causes += _match(value, profile, here, kind)
    return causes


def _match(value: str, profile: Object, path: str, kind: str) -> list[Cause]:
    told = f"{kind} type in annotation and field must match"
    match profile.get("type"):
        case "Unconfined":
            return [] if value == "unconfined" else [forbidden(f"{path}.type", told)]
        case "RuntimeDefault":
            known = {"runtime/default", "docker/default"} if kind == "seccomp" else {"runtime/default"}
            return [] if value in known else [forbidden(f"{path}.type", told)]
        case "Localhost":
            if not value.startswith("localhost/"):
                return [forbidden(f"{path}.type", told)]
            if value.removeprefix("localhost/") != profile.get("localhostProfile"):
                told = f"{kind} profile in annotation and field must match"
                return [forbidden(f"{path}.localhostProfile", told)]
    return []
