"""What is allowed in a pod or template and yet deserves a word: what is ignored, deprecated, or probably not meant."""

from __future__ import annotations

from typing import Final

from argosy.kube import quantities
from argosy.kube.objects import Object
from argosy.kube.server.rules import addresses, metadata
from argosy.kube.server.rules.node_labels import DEPRECATED, term_warnings
from argosy.kube.server.rules.pods.annotations import APP_ARMOR, SECCOMP_CONTAINER, SECCOMP_POD
from argosy.kube.server.rules.pods.overlaps import overlapping_paths
from argosy.kube.server.rules.pods.systems import each_container
from argosy.kube.server.rules.wording import quoted

_ANNOTATIONS: Final = (
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        'non-functional in v1.16+; use the "priorityClassName" field instead',
    ),
    ("security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        'non-functional in v1.11+; use the "sysctls" field instead',
    ),
)
_VOLUMES: Final = (
    ("photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
)
_MOST: Final = 200
"""More are not sent (`api.warned`): ports that all meet each other would make a million."""
_SECCOMP: Final = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_NO_SELECTOR: Final = "a null labelSelector results in matching no pod"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"


def warnings_of(holder: Object, path: str) -> list[str]:
    """`path` is empty for a pod, else where the template stands."""
    spec, prefix = holder.get("spec") or {}, f"{path}." if path else ""
    here = f"{prefix}spec"
    annotations = metadata.of(holder).get("annotations") or {}
    told = [
        f"{here}.nodeSelector[{key}]: {DEPRECATED[key]}"
        for key in spec.get("nodeSelector") or ()
        if key in DEPRECATED
    ]
    affinity = spec.get("affinity") or {}
    if affinity:
        told += _node_affinity(affinity.get("nodeAffinity") or {}, f"{here}.affinity.nodeAffinity")
    told += _spread(spec, here)
    told += [
        f"{prefix}metadata.annotations[{key}]: {text}" for key, text in _ANNOTATIONS if key in annotations
    ]
    if spec.get("volumes"):
        told += _volumes(spec["volumes"], f"{here}.volumes")
    told += _repeated(spec, here)
    told += _fractional(spec.get("overhead"), f"{here}.overhead")
    told += _of_annotations(spec, annotations, path, prefix)
    told += _of_containers(spec, here)
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        told.append(
            f"{here}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"
        )
    for part in ("podAffinity", "podAntiAffinity"):
        told += _pod_affinity(affinity.get(part) or {}, f"{here}.affinity.{part}")
    return told + _addresses(spec, here)


def claim_warnings(spec: Object, path: str) -> list[str]:
    """Of a claim for storage."""
    told: list[str] = []
    for part in ("requests", "limits"):
        amounts = (spec.get("resources") or {}).get(part) or {}
        told += _fractional(amounts, f"{path}.resources.{part}", ("storage",))
    return told


def _node_affinity(node: Object, path: str) -> list[str]:
    told: list[str] = []
    for index, term in enumerate((node.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()):
        told += term_warnings(term, f"{path}.{_REQUIRED}.nodeSelectorTerms[{index}]")
    for index, weighted in enumerate(node.get(_PREFERRED) or ()):
        here = f"{path}.{_PREFERRED}[{index}].preference"
        told += term_warnings(weighted.get("preference") or {}, here, values=True)
    return told


def _pod_affinity(affinity: Object, path: str) -> list[str]:
    told = [
        f"{path}.{_REQUIRED}[{index}].labelSelector: {_NO_SELECTOR}"
        for index, term in enumerate(affinity.get(_REQUIRED) or ())
        if term.get("labelSelector") is None
    ]
    return told + [
        f"{path}.{_PREFERRED}[{index}].podAffinityTerm.labelSelector: {_NO_SELECTOR}"
        for index, weighted in enumerate(affinity.get(_PREFERRED) or ())
        if (weighted.get("podAffinityTerm") or {}).get("labelSelector") is None
    ]


def _spread(spec: Object, path: str) -> list[str]:
    told: list[str] = []
    for index, one in enumerate(spec.get("topologySpreadConstraints") or ()):
        here, key = f"{path}.topologySpreadConstraints[{index}]", one.get("topologyKey")
        if key in DEPRECATED:
            told.append(f"{here}.topologyKey: {key} is {DEPRECATED[key]}")
        if one.get("labelSelector") is None:
            told.append(f"{here}.labelSelector: {_NO_SELECTOR}")
    return told


def _volumes(volumes: list[Object], path: str) -> list[str]:
    told: list[str] = []
    for index, volume in enumerate(volumes):
        told += [
            f"{path}[{index}].{name}: {text}" for kind, name, text in _VOLUMES if volume.get(kind) is not None
        ]
        template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate")
        if template is not None:
            told += claim_warnings(
                template.get("spec") or {}, f"{path}[{index}].ephemeral.volumeClaimTemplate.spec"
            )
    return told + overlapping_paths(volumes)


def _repeated(spec: Object, path: str) -> list[str]:
    told: list[str] = []
    for part, field, what in (("hostAliases", "ip", "ip"), ("imagePullSecrets", "name", "name")):
        seen: set[str] = set()
        for index, one in enumerate(spec.get(part) or ()):
            value = one.get(field) or ""
            if value in seen:
                told.append(f"{path}.{part}[{index}].{field}: duplicate {what} {quoted(value)}")
            seen.add(value)
    for index, one in enumerate(spec.get("imagePullSecrets") or ()):
        if not one.get("name"):
            told.append(f'{path}.imagePullSecrets[{index}].name: invalid empty name ""')
    return told


def _fractional(
    amounts: Object | None, path: str, names: tuple[str, ...] = ("memory", "ephemeral-storage")
) -> list[str]:
    told: list[str] = []
    for name in names:
        if not amounts or name not in amounts:
            continue
        found = quantities.parse(amounts[name])
        if found.milli % 1000:
            told.append(
                f"{path}[{name}]: fractional byte value {quoted(found.text)} is invalid, must be an integer"
            )
    return told


def _of_annotations(spec: Object, annotations: dict[str, str], path: str, prefix: str) -> list[str]:
    if not annotations:
        return []
    told: list[str] = []
    context = spec.get("securityContext") or {}
    if SECCOMP_POD in annotations and context.get("seccompProfile") is None:
        told.append(f"{prefix}metadata.annotations[{SECCOMP_POD}]: {_SECCOMP}")
    for container, _ in each_container(spec, f"{prefix}spec"):
        own, name = container.get("securityContext") or {}, container.get("name") or ""
        key = SECCOMP_CONTAINER + name
        if key in annotations and own.get("seccompProfile") is None:
            told.append(f"{prefix}metadata.annotations[{key}]: {_SECCOMP}")
        key = APP_ARMOR + name
        if path and key in annotations and own.get("appArmorProfile") is None:
            made = app_armor_profile(annotations[key])
            if made is None or made != context.get("appArmorProfile"):
                text = 'deprecated since v1.30; use the "appArmorProfile" field instead'
                told.append(f"{prefix}metadata.annotations[{key}]: {text}")
    return told


def app_armor_profile(annotation: str) -> Object | None:
    """The field that an annotation stands for."""
    if annotation == "unconfined":
        return {"type": "Unconfined"}
    if annotation == "runtime/default":
        return {"type": "RuntimeDefault"}
    local = annotation.removeprefix("localhost/")
    return {"type": "Localhost", "localhostProfile": local} if local and local != annotation else None


def _of_containers(spec: Object, path: str) -> list[str]:
    told: list[str] = []
    for container, here in each_container(spec, path):
        resources = container.get("resources")
        if resources:
            for name in ("memory", "ephemeral-storage"):
                for part in ("limits", "requests"):
                    told += _fractional(resources.get(part), f"{here}.resources.{part}", (name,))
        told += _environment(container.get("env") or [], f"{here}.env")
    return told + _ports(spec, path)


def _environment(variables: list[Object], path: str) -> list[str]:
    told: list[str] = []
    seen: set[str] = set()
    for index, variable in enumerate(variables):
        name, value = variable.get("name") or "", variable.get("value") or ""
        reference = f"$({name})"
        extends = variable.get("valueFrom") is None and reference in value and value != reference
        if name in seen and not extends:
            text = f"hides previous definition of {quoted(name)}, which may be dropped when using apply"
            told.append(f"{path}[{index}]: {text}")
        seen.add(name)
    return told


def _ports(spec: Object, path: str) -> list[str]:
    told: list[str] = []
    by_number: dict[tuple[int, str], list[tuple[str, Object]]] = {}
    by_name: dict[str, str] = {}
    repeated: list[str] = []
    for container, here in each_container(spec, path):
        for index, port in enumerate(container.get("ports") or ()):
            where = f"{here}.ports[{index}]"
            others = by_number.setdefault((port.get("containerPort") or 0, port.get("protocol") or ""), [])
            if port.get("hostIP") and not port.get("hostPort"):
                told.append(f"{where}: hostIP set without hostPort: {_plain(port)}")
            for other, its in others if len(told) < _MOST else ():
                told += _meeting(port, its, where, other)
            others.append((where, port))
            if name := port.get("name"):
                if first := by_name.get(name):
                    text = f"services and probes that select ports by name will use {first}"
                    repeated.append(f"{where}: duplicate port name {quoted(name)} with {first}, {text}")
                by_name.setdefault(name, where)
    return told + repeated


def _plain(port: Object) -> str:
    fields = (("Name", "name"), ("HostPort", "hostPort"), ("ContainerPort", "containerPort"))
    shown = [f"{told}:{port.get(field) or ('' if told == 'Name' else 0)}" for told, field in fields]
    rest = [
        f"{told}:{port.get(field) or ''}" for told, field in (("Protocol", "protocol"), ("HostIP", "hostIP"))
    ]
    return "{" + " ".join([*shown, *rest]) + "}"


def _meeting(port: Object, other: Object, where: str, first: str) -> list[str]:
    address, its = port.get("hostIP") or "", other.get("hostIP") or ""
    host, its_host = port.get("hostPort") or 0, other.get("hostPort") or 0
    if address == its and host == its_host:
        return [f"{where}: duplicate port definition with {first}"]
    if not host or not its_host:
        return [f"{where}: overlapping port definition with {first}"]
    if host == its_host and (address == "") != (its == ""):
        return [f"{where}: dangerously ambiguous port definition with {first}"]
    return []


def _addresses(spec: Object, path: str) -> list[str]:
    told: list[str] = []
    for index, server in enumerate((spec.get("dnsConfig") or {}).get("nameservers") or ()):
        told += addresses.warnings(server, f"{path}.dnsConfig.nameservers[{index}]")
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        told += addresses.warnings(alias.get("ip") or "", f"{path}.hostAliases[{index}].ip")
    return told
