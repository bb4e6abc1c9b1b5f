"""Holds pods, what makes pods, and namespaces themselves to the level that the namespace asks for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from argosy.kube.errors import invalid
from argosy.kube.objects import Object, controller_of, labels_of, name_of
from argosy.kube.server.admission.pod_security.checks import faults
from argosy.kube.server.admission.pod_security.levels import Level, is_stricter, policy
from argosy.kube.server.admission.write import Write

_TEMPLATES = {
    "podtemplates": ("template",),
    "replicationcontrollers": ("spec", "template"),
    "daemonsets.apps": ("spec", "template"),
    "deployments.apps": ("spec", "template"),
    "replicasets.apps": ("spec", "template"),
    "statefulsets.apps": ("spec", "template"),
    "jobs.batch": ("spec", "template"),
    "cronjobs.batch": ("spec", "jobTemplate", "spec", "template"),
}
_OF_PODS = {"", "ephemeralcontainers", "resize"}
_MOST_PODS = 3000


def check(write: Write) -> None:
    if write.operation == "DELETE":
        return
    match write.resource.group_resource:
        case "namespaces" if not write.subresource:
            _check_namespace(write)
        case "pods" if write.subresource in _OF_PODS:
            _check_pod(write)
        case kind if kind in _TEMPLATES and not write.subresource:
            _warn_of_template(write, _TEMPLATES[kind])


def _check_pod(write: Write) -> None:
    asked = policy(_labels(write))
    if asked.enforce.name == asked.warn.name == "privileged":
        return
    if write.old is not None and not _is_significant(write.obj, write.old):
        return
    meta, spec = write.obj["metadata"], write.obj.get("spec") or {}
    found = faults(asked.enforce, meta, spec)
    if found:
        told = ", ".join(map(str, found))
        raise write.forbidden(f'violates PodSecurity "{asked.enforce}": {told}')
    _warn(write, asked.warn, meta, spec)


def _warn_of_template(write: Write, path: tuple[str, ...]) -> None:
    warn = policy(_labels(write)).warn
    template: object = write.obj
    for part in path:
        template = template.get(part) if isinstance(template, dict) else None
    if warn.name != "privileged" and isinstance(template, dict):
        _warn(write, warn, template.get("metadata") or {}, template.get("spec") or {})


def _warn(write: Write, level: Level, meta: Object, spec: Object) -> None:
    if found := faults(level, meta, spec):
        told = ", ".join(map(str, found))
        write.warnings.append(f'would violate PodSecurity "{level}": {told}')


def _labels(write: Write) -> dict[str, str]:
    return labels_of(write.reader.get("namespaces", "", write.namespace) or {})


def _is_significant(new: Object, old: Object) -> bool:
    """Whether it brings another image, or another container."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    for part in ("containers", "initContainers"):
        images, were = ([one.get("image") for one in holder.get(part) or ()] for holder in (spec, before))
        if images != were:
            return True
    known = {one["name"]: one.get("image") for one in before.get("ephemeralContainers") or ()}
    return any(
        one["name"] not in known or known[one["name"]] != one.get("image")
        for one in spec.get("ephemeralContainers") or ()
    )


def _check_namespace(write: Write) -> None:
    asked = policy(labels_of(write.obj))
    before = None if write.old is None else policy(labels_of(write.old))
    if asked.faults and (before is None or asked.faults != before.faults):
        raise invalid("Namespace", write.name, asked.faults)
    if before is None or asked.enforce == before.enforce or asked.enforce.name == "privileged":
        return
    same_version = asked.enforce.minor == before.enforce.minor
    if not same_version or is_stricter(asked.enforce, before.enforce):
        write.warnings += _warnings_of_pods(write, asked.enforce)


def _warnings_of_pods(write: Write, level: Level) -> list[str]:
    """Of those that are there already and would not be let in any more."""
    pods = list(_one_of_each_first(list(write.reader.list("pods", write.name))))
    violating: dict[str, list[str]] = defaultdict(list)
    for pod in pods[:_MOST_PODS]:
        if found := faults(level, pod["metadata"], pod["spec"]):
            violating[", ".join(fault.reason for fault in found)].append(name_of(pod))
    warnings: list[str] = []
    if len(pods) > _MOST_PODS:
        warnings.append(
            f"new PodSecurity enforce level only checked against the first {_MOST_PODS} of {len(pods)} existing pods"
        )
    if violating:
        warnings.append(
            f'existing pods in namespace "{write.name}" violate the new PodSecurity enforce level "{level}"'
        )
    return warnings + sorted(f"{_counted(names)}: {why}" for why, names in violating.items())


def _one_of_each_first(pods: list[Object]) -> Iterator[Object]:
    """One pod of each controller says enough when there are very many."""
    seen: set[str] = set()
    rest: list[Object] = []
    for pod in pods:
        owner = (controller_of(pod) or {}).get("uid", "")
        if owner in seen:
            rest.append(pod)
            continue
        if owner:
            seen.add(owner)
        yield pod
    yield from rest


def _counted(names: list[str]) -> str:
    others = len(names) - 1
    if not others:
        return min(names)
    return f"{min(names)} (and {others} other {'pod' if others == 1 else 'pods'})"
