"""What the next step of a sync is: to wait, to run a wave, to end. Pure; `operation` does it.

The words of waiting and failing are read by people and by other programs: they are those of Argo CD.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from argosy.argo.cd.marks import may_prune
from argosy.argo.cd.resources import ResourceKey
from argosy.argo.cd.sync.options import Request
from argosy.argo.cd.sync.task import Task
from argosy.domain.health import Health
from argosy.kube.objects import Object, metadata, name_of

HealthOf = Callable[[Object], Health | None]
_AFTER_HOOK = {
    "Unknown": "Failed",
    "Degraded": "Failed",
    "Progressing": "Running",
    "Suspended": "Running",
    "Healthy": "Succeeded",
}


@dataclass(frozen=True, slots=True)
class Step:
    """`wait`: nothing to do until something changes. `run`: these tasks now. `fail`: run what is for failures, then end."""

    does: Literal["wait", "run", "fail", "succeed"]
    tasks: Sequence[Task] = ()
    message: str = ""
    is_last: bool = False


def observe(tasks: Sequence[Task], health_of: HealthOf) -> None:
    """Running tasks end by what their live objects say."""
    for task in tasks:
        if not task.running or task.live is None:
            continue
        health = health_of(task.live)
        if task.is_hook:
            state, message = hook_state(task.live, health)
            task.record(task.result, state, message)
        elif health is None:  # kinds without a rule are fine as soon as they are there
            task.record(task.result, "Succeeded", "")
        elif health.status == "Healthy":
            task.record(task.result, "Succeeded", health.message)
        elif health.status == "Degraded":
            task.record(task.result, "Failed", health.message)


def hook_state(live: Object, health: Health | None) -> tuple[str, str]:
    if health is None:
        return "Succeeded", f"{name_of(live)} created"
    return _AFTER_HOOK.get(health.status, "Succeeded"), health.message


def next_step(tasks: Sequence[Task], request: Request, *, unmodified: frozenset[ResourceKey]) -> Step:
    """`unmodified`: what the comparison found to be as it should, for `ApplyOutOfSyncOnly`."""
    steps = _is_multi_step(tasks)
    if running := [task for task in tasks if task.running and (steps or task.is_hook)]:
        return Step("wait", running, waiting(running, request))
    if going := [task for task in tasks if task.result == "Pruned" and _is_going(task.live)]:
        return Step("wait", going, waiting(going, request, deleting=True))
    usual = [task for task in tasks if task.phase != "SyncFail"]
    if any(task.completed and not task.successful for task in usual):
        failed = [task for task in usual if task.result == "SyncFailed"]
        return Step("fail", failed, "one or more synchronization tasks completed unsuccessfully")
    pending = [task for task in usual if task.pending]
    if request.options.only_out_of_sync:
        pending = [task for task in pending if not _is_unmodified(task, unmodified)]
    if not pending:
        return Step("succeed", message="successfully synced (no more tasks)")
    first, last = pending[0], pending[-1]
    wave = [task for task in pending if (task.phase, task.wave) == (first.phase, first.wave)]
    return Step("run", wave, is_last=(first.phase, first.wave) == (last.phase, last.wave))


def to_try(tasks: Sequence[Task], request: Request, *, unmodified: frozenset[ResourceKey]) -> list[Task]:
    """What is validated before anything is done."""
    only = request.options.only_out_of_sync
    return [task for task in tasks if not (only and _is_unmodified(task, unmodified))]


def waiting(tasks: Sequence[Task], request: Request, *, deleting: bool = False) -> str:
    if not tasks:
        return ""
    hooks = [task for task in tasks if task.is_hook]
    reason = "completion of hook" if hooks else "healthy state of"
    what = "hooks" if len(hooks) == len(tasks) else "resources"
    if deleting:
        reason = "deletion of hook" if hooks else "deletion of"
    first, more = (hooks or list(tasks))[0], len(tasks) - 1
    if unconfirmed := [task for task in tasks if needs_confirmation(task, request)]:
        reason, first, more = "pruning confirmation of", unconfirmed[0], len(unconfirmed) - 1
    message = f"waiting for {reason} {first.key.group}/{first.key.kind}/{first.key.name}"
    return f"{message} and {more} more {what}" if more else message


def needs_confirmation(task: Task, request: Request) -> bool:
    return (
        task.is_prune
        and not request.prune_confirmed
        and may_prune(task.object, request.options.prune) == "confirm"
    )


def failure(message: str, failed: Sequence[Task]) -> str:
    reasons = list(dict.fromkeys(task.message for task in failed))
    return f"{message}, reason: {','.join(reasons)}" if reasons else message


def not_valid(tasks: Sequence[Task]) -> str:
    reasons = sorted({task.message for task in tasks if task.result == "SyncFailed" and task.message})
    message = "one or more synchronization tasks are not valid"
    return f"{message}: {'; '.join(reasons)}" if reasons else message


def _is_multi_step(tasks: Sequence[Task]) -> bool:
    return bool(tasks) and (tasks[0].phase, tasks[0].wave) != (tasks[-1].phase, tasks[-1].wave)


def _is_going(live: Object | None) -> bool:
    return live is not None and "deletionTimestamp" in metadata(live)


def _is_unmodified(task: Task, unmodified: frozenset[ResourceKey]) -> bool:
    return not task.is_hook and task.target is not None and task.live is not None and task.key in unmodified
