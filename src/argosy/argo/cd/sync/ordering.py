"""In which order objects are synced: phase, wave, kind, name; and what others need goes before them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from argosy.argo.cd import marks
from argosy.argo.cd.resources import is_definition, is_namespace
from argosy.argo.cd.sync.task import Task
from argosy.kube.objects import Object, group_version, name_of, namespace_of

_KINDS = (
    "Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget ServiceAccount Secret "
    "SecretList ConfigMap StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition ClusterRole "
    "ClusterRoleList ClusterRoleBinding ClusterRoleBindingList Role RoleList RoleBinding RoleBindingList Service "
    "DaemonSet Pod ReplicationController ReplicaSet Deployment HorizontalPodAutoscaler StatefulSet Job CronJob "
    "IngressClass Ingress APIService"
)
_PLACE = {kind: place - len(_KINDS) for place, kind in enumerate(_KINDS.split())}
"""Kinds that are not listed come after all of these."""
_PHASE = {phase: place for place, phase in enumerate(marks.PHASES)}

Named = Callable[[Object], str]


def ordered(tasks: Iterable[Task]) -> list[Task]:
    found = sorted(tasks, key=_turn)
    _bubble(found, _namespace_made, namespace_of)
    _bubble(found, _kind_defined, _kind_used)
    return found


def reverse_prune_waves(tasks: list[Task], *, last: bool) -> None:
    """What is removed goes in the opposite order of how it came; `PruneLast` after everything else of the sync."""
    pruned = [task for task in tasks if task.is_prune]
    waves = sorted({task.wave for task in pruned})
    mirrored = dict(zip(waves, reversed(waves), strict=True))
    for task in pruned:
        task.wave = mirrored[task.wave]
    end = max([0, *(task.wave for task in tasks if task.phase == "Sync")]) + 1
    for task in pruned:
        if last or marks.has_option(task.object, "PruneLast=true"):
            task.wave = end


def _turn(task: Task) -> tuple[int, int, int, str]:
    return _PHASE[task.phase], task.wave, _PLACE.get(task.key.kind, 0), task.key.name


def _bubble(tasks: list[Task], made: Named, used: Named) -> None:
    """Moves what makes something before its first user, into that user's phase and wave."""
    first: dict[str, int] = {}
    for place, task in enumerate(tasks):
        if task.target is None:
            continue
        if name := made(task.target):
            user = first.get(name)
            if user is not None:
                task.phase, task.wave = tasks[user].phase, tasks[user].wave
                tasks.insert(user, tasks.pop(place))
                first = {one: index + 1 if index >= user else index for one, index in first.items()}
        elif name := used(task.target):
            first.setdefault(name, place)


def _namespace_made(obj: Object) -> str:
    return name_of(obj) if is_namespace(obj) else ""


def _kind_defined(obj: Object) -> str:
    return defined(obj)


def _kind_used(obj: Object) -> str:
    return f"{group_version(obj)[0]}/{obj.get('kind', '')}"


def defined(obj: Object) -> str:
    """The `group/Kind` that a definition of custom resources defines."""
    if not is_definition(obj):
        return ""
    spec = obj.get("spec")
    names = spec.get("names") if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not isinstance(names, dict):
        return ""
    return f"{spec.get('group', '')}/{names.get('kind', '')}"
