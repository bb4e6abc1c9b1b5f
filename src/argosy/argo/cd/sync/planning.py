"""The tasks of a sync, from what Git says and what is there."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from argosy.argo.cd import marks
from argosy.argo.cd.marks import SyncPhase
from argosy.argo.cd.resources import Pair, ResourceKey, is_namespace, key_of
from argosy.argo.cd.sync.options import Request
from argosy.argo.cd.sync.ordering import ordered, reverse_prune_waves
from argosy.argo.cd.sync.task import Task, resume
from argosy.contracts.argo.operation import ResourceResult
from argosy.kube.objects import Object, metadata, name_of


def plan(
    pairs: Sequence[Pair],
    hooks: Sequence[Object],
    request: Request,
    *,
    results: list[ResourceResult],
    namespace: Task | None = None,
) -> list[Task]:
    """In the order of their turns. `namespace` is the task that makes the destination's, where that is asked."""
    tasks = [
        Task(phase, pair.target, pair.live)
        for pair in pairs
        if not marks.is_hook(pair.object)
        for phase in marks.phases(pair.object)
    ]
    if not request.skip_hooks:
        live_hooks = {pair.key: pair.live for pair in pairs if pair.live is not None}
        tasks += [_hook(hook, phase, request, live_hooks) for hook in hooks for phase in marks.phases(hook)]
    if namespace is not None and not any(is_namespace(task.object, request.namespace) for task in tasks):
        tasks.append(namespace)
    reverse_prune_waves(tasks, last=request.options.prune_last)
    tasks = ordered(tasks)
    resume(tasks, results)
    return tasks


def namespace_task(request: Request, wanted: Object | None, live: Object | None) -> Task | None:
    """`wanted`: the metadata that the application manages of its namespace, if it does. An existing one is left alone otherwise."""
    if live is not None and wanted is None:
        return None
    made: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": request.namespace}}
    if wanted is not None:
        made["metadata"] |= copy.deepcopy(wanted)
    return Task("PreSync", made, live)


def _hook(hook: Object, phase: SyncPhase, request: Request, live: dict[ResourceKey, Object]) -> Task:
    """Named for this very sync where it has only a prefix, and held by a finalizer until it has been seen to end."""
    target = copy.deepcopy(hook)
    found = target.setdefault("metadata", {})
    if not name_of(target):
        revision = request.revision[:7] if len(request.revision) >= 8 else request.revision
        ending = f"{revision}-{phase}-{request.started_at}".lower()
        found["name"] = f"{metadata(hook).get('generateName', '')}{ending}"
    finalizers = found.get("finalizers") or []
    if marks.HOOK_FINALIZER not in finalizers:
        found["finalizers"] = [*finalizers, marks.HOOK_FINALIZER]
    return Task(phase, target, live.get(key_of(target)))
