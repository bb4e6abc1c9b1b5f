"""A pod of a RuntimeClass gets what that costs beside its containers, and goes to nodes that have it."""

from __future__ import annotations

from argosy.kube.objects import Object
from argosy.kube.server.admission.write import Write
from argosy.kube.server.rules.builtin import same

_MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"


def admit(write: Write) -> None:
    if not write.creates("pods"):
        return
    spec = write.obj["spec"]
    found = _class(write, spec)
    overhead = (found.get("overhead") or {}).get("podFixed")
    if overhead:
        if spec.get("overhead") and not same(spec["overhead"], overhead):
            raise write.forbidden(_MISMATCH)
        spec["overhead"] = dict(overhead)
    if scheduling := found.get("scheduling"):
        _schedule(write, spec, scheduling)


def check(write: Write) -> None:
    if not write.creates("pods"):
        return
    spec = write.obj["spec"]
    overhead = _class(write, spec).get("overhead")
    if overhead is not None:
        if not same(spec.get("overhead"), overhead.get("podFixed")):
            raise write.forbidden(_MISMATCH)
    elif spec.get("overhead"):
        told = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
        raise write.forbidden(told)


def _class(write: Write, spec: Object) -> Object:
    name = spec.get("runtimeClassName")
    if name is None:
        return {}
    found = write.reader.get("runtimeclasses.node.k8s.io", "", name)
    if found is None:
        raise write.forbidden(f'pod rejected: RuntimeClass "{name}" not found')
    return found


def _schedule(write: Write, spec: Object, scheduling: Object) -> None:
    wanted, chosen = scheduling.get("nodeSelector") or {}, spec.get("nodeSelector") or {}
    for key, value in wanted.items():
        if chosen.get(key, value) != value:
            raise write.forbidden(
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {chosen[key]}"
            )
    if wanted or chosen:
        spec["nodeSelector"] = {**chosen, **wanted}
    tolerations = list(spec.get("tolerations") or ())
    tolerations += [one for one in scheduling.get("tolerations") or () if one not in tolerations]
    if tolerations:
        spec["tolerations"] = tolerations
