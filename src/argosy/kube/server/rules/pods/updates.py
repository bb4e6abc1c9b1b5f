"""What a change of a pod may change: images, deadlines, more tolerations; before it is scheduled, also where it may run."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.builtin import same
from argosy.kube.server.rules.pods.scheduling import check_tolerations
from argosy.kube.server.rules.printing import difference, printed
from argosy.kube.server.rules.wording import forbidden, invalid, required

_LARGEST: Final = 2**31 - 1
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_CHANGEABLE: Final = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def check_update(new: Object, old: Object) -> list[Cause]:
    """Of the specs."""
    causes: list[Cause] = []
    for part in ("containers", "initContainers"):
        found, stop = _check_containers(new.get(part) or [], old.get(part) or [], f"spec.{part}")
        causes += found
        if stop:
            return causes
    found, stop = _check_deadline(new.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds"))
    causes += found
    if stop:
        return causes
    causes += _check_tolerations(new.get("tolerations") or [], old.get("tolerations") or [])
    causes += _check_gates(new.get("schedulingGates") or [], old.get("schedulingGates") or [])
    if same(new, old):
        return causes
    kept = _with_old_parts(new, old)
    if old.get("schedulingGates"):
        causes += _check_gated(kept, old)
    if not same(kept, old):
        told = difference("core.PodSpec", old, kept)
        if told:
            causes.append(
                forbidden("spec", f"pod updates may not change fields other than {_CHANGEABLE}\n{told}")
            )
    return causes


def _check_containers(new: list[Object], old: list[Object], path: str) -> tuple[list[Cause], bool]:
    if len(new) != len(old):
        return [forbidden(path, "pod updates may not add or remove containers")], True
    causes: list[Cause] = []
    for index, container in enumerate(new):
        image = container.get("image") or ""
        if not image:
            causes.append(required(f"{path}[{index}].image"))
        if image.strip() != image:
            told = "must not have leading or trailing whitespace"
            causes.append(invalid(f"{path}[{index}].image", image, told))
    return causes, False


def _check_deadline(new: int | None, old: int | None) -> tuple[list[Cause], bool]:
    path = "spec.activeDeadlineSeconds"
    if new is None:
        told = "must not update from a positive integer to nil value"
        return ([] if old is None else [invalid(path, None, told)]), False
    if not 0 <= new <= _LARGEST:
        return [invalid(path, new, formats.between(0, _LARGEST))], True
    if old is not None and old < new:
        return [invalid(path, new, "must be less than or equal to previous value")], True
    return [], False


def _check_tolerations(new: list[Object], old: list[Object]) -> list[Cause]:
    if new == old:
        return check_tolerations(new, "spec.tolerations")
    for one in old:
        plain = _untimed(one)
        if not any(_untimed(other) == plain for other in new):
            told = "existing toleration can not be modified except its tolerationSeconds"
            return [forbidden("spec.tolerations", told)]
    return check_tolerations(new, "spec.tolerations")


def _untimed(toleration: Object) -> Object:
    return {key: value for key, value in toleration.items() if key != "tolerationSeconds" and value != ""}


def _check_gates(new: list[Object], old: list[Object]) -> list[Cause]:
    known = {gate.get("name") for gate in old}
    return [
        forbidden(
            f"spec.schedulingGates[{index}].name",
            f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'",
        )
        for index, gate in enumerate(new)
        if gate.get("name") not in known
    ]


def _with_old_parts(new: Object, old: Object) -> Object:
    """The new spec with everything back in place that may change."""
    kept = dict(new)
    for part in ("containers", "initContainers"):
        if listed := new.get(part):
            kept[part] = [
                _put(container, "image", before.get("image"))
                for container, before in zip(listed, old.get(part) or (), strict=False)
            ]
    for part in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        kept = _put(kept, part, old.get(part))
    if (old.get("terminationGracePeriodSeconds") or 0) < 0 and new.get("terminationGracePeriodSeconds") == 1:
        kept["terminationGracePeriodSeconds"] = old["terminationGracePeriodSeconds"]
    return kept


def _put(holder: Object, key: str, value: object) -> Object:
    plain = {name: one for name, one in holder.items() if name != key}
    return plain if value is None else {**plain, key: value}


def _check_gated(kept: Object, old: Object) -> list[Cause]:
    """Before a pod may be scheduled it may become more choosy."""
    causes: list[Cause] = []
    selector, before = kept.get("nodeSelector") or {}, old.get("nodeSelector") or {}
    if selector != before:
        if any(selector.get(key) != value for key, value in before.items()):
            told = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
            causes.append(invalid("spec.nodeSelector", selector, told))
        _restore(kept, "nodeSelector", old.get("nodeSelector"))
    affinity, old_affinity = kept.get("affinity"), old.get("affinity")
    node, old_node = (affinity or {}).get("nodeAffinity"), (old_affinity or {}).get("nodeAffinity")
    if not same(node, old_node):
        causes += _check_node_affinity(node or {}, old_node or {})
        merged = _put(affinity or {}, "nodeAffinity", old_node)
        _restore(kept, "affinity", merged if merged or old_affinity is not None else None)
    return causes


def _restore(kept: Object, key: str, value: object) -> None:
    if value is None:
        kept.pop(key, None)
    else:
        kept[key] = value


def _check_node_affinity(new: Object, old: Object) -> list[Cause]:
    before = (old.get(_REQUIRED) or {}).get("nodeSelectorTerms") or []
    after = (new.get(_REQUIRED) or {}).get("nodeSelectorTerms") or []
    path = f"spec.affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms"
    if before and len(before) != len(after):
        told = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        return [invalid(path, printed("[core.NodeSelectorTerm", after or None), told)]
    told = "only additions are allowed (no mutations or deletions)"
    return [
        invalid(f"{path}[{index}]", printed("core.NodeSelectorTerm", new_term), told)
        for index, (new_term, old_term) in enumerate(zip(after, before, strict=False))
        if not _only_adds(new_term, old_term)
    ]


def _only_adds(new: Object, old: Object) -> bool:
    parts = ("matchExpressions", "matchFields")
    if not any(old.get(part) for part in parts):
        return not any(new.get(part) for part in parts)
    return all((new.get(part) or [])[: len(old.get(part) or [])] == (old.get(part) or []) for part in parts)
