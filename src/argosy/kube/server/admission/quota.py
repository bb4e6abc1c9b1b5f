"""ResourceQuotas: how many objects, and how much of everything, a namespace may have.

Counted from the objects themselves at each create, so nothing can slip through between two counts. A controller writes the same
numbers into the status, for people.
"""

from __future__ import annotations

from collections.abc import Iterator

from argosy.kube.objects import Object
from argosy.kube.quantities import NANO, amount, written
from argosy.kube.server.admission.write import Reader, Write

_COUNTED = {
    "pods": "pods",
    "services": "services",
    "secrets": "secrets",
    "configmaps": "configmaps",
    "persistentvolumeclaims": "persistentvolumeclaims",
    "replicationcontrollers": "replicationcontrollers",
    "resourcequotas": "resourcequotas",
}
_COMPUTE = {
    "cpu": ("requests", "cpu"),
    "requests.cpu": ("requests", "cpu"),
    "memory": ("requests", "memory"),
    "requests.memory": ("requests", "memory"),
    "limits.cpu": ("limits", "cpu"),
    "limits.memory": ("limits", "memory"),
}


def check(write: Write) -> None:
    if write.operation != "CREATE" or write.subresource or not write.resource.namespaced:
        return
    for quota in write.reader.list("resourcequotas", write.namespace):
        _check(write, quota)


def used(reader: Reader, namespace: str, name: str) -> int | None:
    """Of one of a quota's resources, in billionths; None for one that is not counted here."""
    collection = counted(name)
    if collection:
        return sum(NANO for _ in reader.list(collection, namespace))
    if name in _COMPUTE:
        return sum(asked(pod, name) for pod in reader.list("pods", namespace) if _counts(pod))
    return None


def counted(name: str) -> str:
    """The collection that a quota's resource counts: `pods`, `count/deployments.apps`."""
    return name.removeprefix("count/") if name.startswith("count/") else _COUNTED.get(name, "")


def asked(pod: Object, name: str) -> int:
    part, resource = _COMPUTE[name]
    containers = [
        amount(((one.get("resources") or {}).get(part) or {}).get(resource, "0"))
        for one in pod["spec"]["containers"]
    ]
    first = [
        amount(((one.get("resources") or {}).get(part) or {}).get(resource, "0"))
        for one in pod["spec"].get("initContainers") or ()
    ]
    return max([sum(containers), *first])


def _counts(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") not in {"Succeeded", "Failed"}


def _check(write: Write, quota: Object) -> None:
    hard = (quota.get("spec") or {}).get("hard") or {}
    name = quota["metadata"]["name"]
    missing = sorted(_unsaid(write, hard))
    if missing:
        raise write.forbidden(f"failed quota: {name}: must specify {','.join(missing)}")
    over: list[tuple[str, int, int, str]] = []
    for key, most in hard.items():
        wanted = _wanted(write, key)
        if not wanted:
            continue
        have = used(write.reader, write.namespace, key) or 0
        if have + wanted > amount(most):
            over.append((key, wanted, have, most))
    if over:
        over.sort()
        told = ", ".join(
            f"{word}: {','.join(f'{row[0]}={_shown(row[at])}' for row in over)}"
            for word, at in (("requested", 1), ("used", 2), ("limited", 3))
        )
        raise write.forbidden(f"exceeded quota: {name}, {told}")


def _wanted(write: Write, key: str) -> int:
    if counted(key) == write.resource.group_resource:
        return NANO
    if key in _COMPUTE and write.creates("pods"):
        return asked(write.obj, key)
    return 0


def _unsaid(write: Write, hard: Object) -> Iterator[str]:
    """A quota on cpu or memory means that every container must say how much."""
    if not write.creates("pods"):
        return
    for key in hard:
        if key in _COMPUTE:
            part, resource = _COMPUTE[key]
            without = [
                one["name"]
                for one in write.obj["spec"]["containers"]
                if resource not in ((one.get("resources") or {}).get(part) or {})
            ]
            if without:
                yield f"{key} for: {','.join(without)}"


def _shown(value: int | str) -> str:
    return written(value) if isinstance(value, int) else value
