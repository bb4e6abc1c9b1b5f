"""One step of a sync, from what is recorded and what is live. The caller comes again when something of it changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from argosy.argo.cd.marks import DeletePolicy, has_option
from argosy.argo.cd.resources import Pair, ResourceKey, is_namespace
from argosy.argo.cd.sync import deciding, planning
from argosy.argo.cd.sync.applying import Applier, reason
from argosy.argo.cd.sync.deciding import HealthOf, Step, failure, waiting
from argosy.argo.cd.sync.options import Request
from argosy.argo.cd.sync.ordering import defined
from argosy.argo.cd.sync.running import Runner
from argosy.argo.cd.sync.task import Task, results
from argosy.contracts.argo.operation import Phase, ResourceResult
from argosy.kube.client import Client
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object

Permit = Callable[[Object, bool], str]
"""Why an object may not be synced (`True`: it is in a namespace), or nothing."""


@dataclass(frozen=True, slots=True)
class Outcome:
    phase: Phase
    message: str
    results: list[ResourceResult]


@dataclass(slots=True, kw_only=True)
class Sync:
    client: Client
    request: Request
    pairs: Sequence[Pair]
    hooks: Sequence[Object]
    recorded: list[ResourceResult]
    health_of: HealthOf
    permit: Permit
    save: Callable[[list[ResourceResult]], Awaitable[None]]
    wrote: Callable[[Object], None] = lambda _: None
    """Told of every object as it is after it was applied, so that no older copy of it is believed."""
    unmodified: frozenset[ResourceKey] = frozenset()
    namespace_metadata: Object | None = None
    """What the application manages of its namespace."""
    _tasks: list[Task] = field(default_factory=list)
    _applier: Applier = field(init=False)
    _runner: Runner = field(init=False)

    def __post_init__(self) -> None:
        self._applier = Applier(self.client, self.request, self.wrote)
        self._runner = Runner(self._applier, self.request, self._save)

    async def advance(self) -> Outcome:
        """Until there is something to wait for, or the end."""
        await self._plan()
        if not await self._valid():
            return self._outcome("Failed", deciding.not_valid(self._tasks))
        if not self.recorded and (refused := await self._begin()):
            return self._outcome("Failed", refused)
        while True:
            await self._observe()
            step = deciding.next_step(self._tasks, self.request, unmodified=self.unmodified)
            outcome = await self._do(step)
            if outcome is not None:
                return outcome

    async def terminate(self) -> Outcome:
        """Running hooks are deleted; what is applied stays."""
        await self._plan()
        fine = True
        for task in [task for task in self._tasks if task.is_hook and (task.running or task.completed)]:
            try:
                await self._terminate(task)
            except ApiError as error:
                task.record(task.result, "Failed", f"Failed to delete: {reason(error, task)}")
                fine = False
        if fine:
            return self._outcome("Failed", "Operation terminated")
        return self._outcome("Error", "Operation termination had errors")

    async def _plan(self) -> None:
        namespace = await self._namespace() if self.request.options.create_namespace else None
        self._tasks = planning.plan(
            self.pairs, self.hooks, self.request, results=self.recorded, namespace=namespace
        )

    async def _namespace(self) -> Task | None:
        if not self.request.namespace:
            return None
        made = planning.namespace_task(self.request, self.namespace_metadata, None)
        assert made is not None
        live = await self._applier.find(made)
        return planning.namespace_task(self.request, self.namespace_metadata, live)

    async def _valid(self) -> bool:
        """Every kind is served, or will be; everything is permitted. Otherwise nothing at all is done."""
        coming = {defined(obj) for obj in [*self.hooks, *(pair.target for pair in self.pairs if pair.target)]}
        for task in self._tasks:
            try:
                place = await self.client.place(task.kind)
            except ApiError as error:
                if error.code == 404 and self._may_come(task, coming):
                    task.skip_dry_run = True
                else:
                    task.record("SyncFailed", "", reason(error, task))
            else:
                if refused := self.permit(task.object, place.namespaced):
                    task.record("SyncFailed", "", refused)
        return not any(task.result == "SyncFailed" and not task.state for task in self._tasks)

    def _may_come(self, task: Task, coming: set[str]) -> bool:
        return (
            f"{task.key.group}/{task.key.kind}" in coming
            or self.request.options.skip_dry_run_on_missing
            or (task.target is not None and has_option(task.target, "SkipDryRunOnMissingResource=true"))
        )

    async def _begin(self) -> str:
        """The namespace for real, as everything else can only be tried inside it. Answers why the sync cannot begin."""
        tried = deciding.to_try(self._tasks, self.request, unmodified=self.unmodified)
        made = [
            task for task in tried if task.live is None and is_namespace(task.object, self.request.namespace)
        ]
        if made and not self.request.dry_run:
            if await self._runner.run(made) == "failed":
                return failure("the namespace failed to apply", made)
            tried = [task for task in tried if task not in made]
        new = {task.key.name for task in tried if is_namespace(task.object) and task.live is None}
        tried = [task for task in tried if task.key.namespace not in new or not task.key.namespace]
        if not await self._runner.try_out(tried):
            return "one or more objects failed to apply (dry run)"
        return ""

    async def _observe(self) -> None:
        before = [(task.result, task.state) for task in self._tasks if task.is_hook]
        await self._find_missing()
        deciding.observe(self._tasks, self.health_of)
        if [(task.result, task.state) for task in self._tasks if task.is_hook] != before:
            await self._save()  # before anybody may delete them: an ended hook that is gone has still ended
        for task in self._tasks:
            if task.is_hook and task.completed and task.live is not None:
                await self._applier.release(task)

    async def _find_missing(self) -> None:
        """What was to be made and is not there: never made by whoever was killed, or deleted by somebody since."""
        for task in self._tasks:
            if not task.running or task.live is not None:
                continue
            task.live = await self._applier.find(task)
            if task.live is not None:
                if not task.result:
                    task.record("Synced", "Running", "")
            elif not task.result:
                task.record("", "", "")
            else:
                missing = f"{task.key.group}/{task.key.kind}/{task.key.name}"
                task.record(
                    "SyncFailed", "Error", f"Resource {missing} is missing, it might have been deleted"
                )

    async def _do(self, step: Step) -> Outcome | None:
        """None: go on."""
        if step.does == "wait":
            return self._outcome("Running", step.message)
        if step.does == "fail":
            await self._clean("HookFailed")
            return await self._fail(failure(step.message, step.tasks))
        if step.does == "succeed":
            return await self._succeed(step.message)
        ran = await self._runner.run(step.tasks)
        if ran == "failed":
            return await self._failed(step)
        if ran == "not yet":
            held = [
                task
                for task in step.tasks
                if task.deleted_before_creation or (task.is_prune and task.pending)
            ]
            return self._outcome("Running", waiting(held, self.request, deleting=True))
        if step.is_last and not any(task.is_hook for task in step.tasks):
            what = (
                "no more tasks" if self.request.dry_run else "all tasks run"
            )  # as after a look at what was tried
            return await self._succeed(f"successfully synced ({what})")
        await self._save()
        return None

    async def _failed(self, step: Step) -> Outcome:
        failed = [task for task in step.tasks if task.result == "SyncFailed"]
        words = failure("one or more objects failed to apply", failed)
        if running := [task for task in step.tasks if task.running and task.is_hook]:
            return self._outcome("Running", waiting(running, self.request))
        await self._clean("HookFailed")
        return await self._fail(words)

    async def _fail(self, message: str) -> Outcome:
        """Runs what is for failures, and ends when that has ended."""
        reactions = [task for task in self._tasks if task.phase == "SyncFail"]
        if pending := [task for task in reactions if task.pending]:
            await self._runner.run(pending)
            await self._observe()
        if running := [task for task in reactions if task.running or task.pending]:
            return self._outcome("Running", waiting(running, self.request))
        if failed := [task for task in reactions if task.result == "SyncFailed"]:
            message += "\n" + failure("one or more SyncFail hooks failed", failed)
        return self._outcome("Failed", message)

    async def _succeed(self, message: str) -> Outcome:
        await self._clean("HookSucceeded")
        return self._outcome("Succeeded", message)

    async def _clean(self, policy: DeletePolicy) -> None:
        for task in self._tasks:
            if not task.running and task.deleted_on(policy):
                try:
                    await self._applier.delete(task)
                except ApiError as error:
                    task.record(task.result, "Error", f"failed to delete resource: {reason(error, task)}")

    async def _terminate(self, task: Task) -> None:
        if task.live is None:
            task.live = await self._applier.find(task)
        if task.live is None:
            if task.running:
                task.record(task.result, "Succeeded", "Terminated")
            return
        state, message = deciding.hook_state(task.live, self.health_of(task.live))
        await self._applier.release(task)
        if task.running and (state == "Running" or task.deleted_on("HookFailed")):
            await self._applier.delete(task)
        if task.running:
            ended = state != "Running"
            task.record(task.result, state if ended else "Failed", message if ended else "Terminated")

    async def _save(self) -> None:
        await self.save(results(self._tasks, self.recorded))

    def _outcome(self, phase: Phase, message: str) -> Outcome:
        return Outcome(phase, message, results(self._tasks, self.recorded))
