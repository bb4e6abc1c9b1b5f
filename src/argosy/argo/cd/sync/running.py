"""Runs the tasks of one wave: first what is in the way, then what is pruned, then what is made, kind by kind and side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby
from typing import Literal

from argosy.argo.cd.marks import may_prune
from argosy.argo.cd.sync.applying import Applier, named, reason
from argosy.argo.cd.sync.deciding import needs_confirmation
from argosy.argo.cd.sync.options import Request
from argosy.argo.cd.sync.task import Task
from argosy.kube.errors import ApiError

Ran = Literal["all", "not yet", "failed"]
Doing = Callable[[Task], Awaitable[None]]
Saving = Callable[[], Awaitable[None]]
_AT_ONCE = 20


class Runner:
    """`save` writes the results down: before a hook is made, so that nobody makes it twice."""

    def __init__(self, applier: Applier, request: Request, save: Saving) -> None:
        self._applier, self._request, self._save = applier, request, save
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def try_out(self, tasks: Sequence[Task]) -> bool:
        """Validates without doing. False: at least one is not right; its task says why."""
        made = [task for task in tasks if not task.is_prune and not task.skip_dry_run]
        await self._side_by_side(made, self._applier.try_out)
        return not any(task.result == "SyncFailed" for task in tasks)

    async def run(self, tasks: Sequence[Task]) -> Ran:
        if self._request.dry_run:
            return await self._pretend(tasks)
        hooks = [task for task in tasks if task.is_hook and task.pending]
        await self._side_by_side([task for task in hooks if task.live is not None], self._applier.release)
        pruned = [task for task in tasks if task.is_prune]
        if any(needs_confirmation(task, self._request) for task in pruned):
            return "not yet"
        await self._side_by_side(pruned, self._prune)
        if _failed(tasks):
            return "failed"
        if before := [task for task in hooks if task.deleted_before_creation]:
            await self._side_by_side(before, self._applier.delete)
            return "failed" if _failed(tasks) else "not yet"
        if hooks:
            for task in hooks:
                task.record("", "Running", "")
            await self._save()
        await self._make([task for task in tasks if not task.is_prune])
        return "failed" if _failed(tasks) else "all"

    async def _make(self, tasks: Sequence[Task]) -> None:
        """A kind waits for the one before it, also when that failed."""
        for _, group in groupby(tasks, key=lambda task: task.key.kind):
            await self._side_by_side(list(group), self._apply)

    async def _pretend(self, tasks: Sequence[Task]) -> Ran:
        for task in tasks:
            if task.is_prune:
                self._skip_or(task, "pruned (dry run)")
        await self._side_by_side([task for task in tasks if not task.is_prune], self._try_for_result)
        return "failed" if _failed(tasks) else "all"

    async def _try_for_result(self, task: Task) -> None:
        if not task.skip_dry_run:
            await self._applier.try_out(task)
        done = "created" if task.live is None else "configured"
        task.record("Synced", "Succeeded", f"{named(task)} {done} (dry run)")

    async def _apply(self, task: Task) -> None:
        message = await self._applier.apply(task)
        task.record("Synced", "Running", message)

    async def _prune(self, task: Task) -> None:
        if self._skip_or(task, "pruned"):
            await self._applier.prune(task)

    def _skip_or(self, task: Task, message: str) -> bool:
        """Whether it is really pruned."""
        if not self._request.prune:
            task.record("PruneSkipped", "Succeeded", "ignored (requires pruning)")
        elif may_prune(task.object, self._request.options.prune) == "no":
            task.record("PruneSkipped", "Succeeded", "ignored (no prune)")
        else:
            task.record("Pruned", "Succeeded", message)
            return True
        return False

    async def _side_by_side(self, tasks: Sequence[Task], do: Doing) -> None:
        async def one(task: Task) -> None:
            async with self._slots:
                try:
                    await do(task)
                except ApiError as error:
                    task.record("SyncFailed", "Failed", reason(error, task))

        await asyncio.gather(*(one(task) for task in tasks))


def _failed(tasks: Sequence[Task]) -> bool:
    return any(task.result == "SyncFailed" for task in tasks)
