"""Runs what was asked of an application: one sync, step by step, over restarts, until it has ended.

All that is remembered stands in `status.operationState`. A retry that waits is `Running` with `finishedAt` set.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import msgspec

from argosy.argo.cd.applications import conditions, retrying
from argosy.argo.cd.applications.comparison import Comparing, Comparison, Wanted
from argosy.argo.cd.applications.deadlines import Deadlines
from argosy.argo.cd.applications.reporting import is_approved
from argosy.argo.cd.applications.subject import Subject
from argosy.argo.cd.applications.writing import Writer, builtins, stamp
from argosy.argo.cd.clusters.registry import Known
from argosy.argo.cd.compare.tracking import Tracking
from argosy.argo.cd.permissions import Permissions
from argosy.argo.cd.resources import Pair
from argosy.argo.cd.sync.operation import Outcome
from argosy.argo.cd.sync.operation import Sync as Run
from argosy.argo.cd.sync.options import Options, Request
from argosy.contracts.argo.operation import (
    OperationState,
    Phase,
    ResourceResult,
    Selected,
    Sync,
    SyncResult,
)
from argosy.contracts.argo.source import Source
from argosy.contracts.argo.status import HistoryEntry
from argosy.kube.objects import Object, group_version, name_of, namespace_of
from argosy.kube.reconcile.events import Events

COMPLETED = frozenset({"Failed", "Error", "Succeeded"})
_KEPT = 10
"""Entries of the history, where the spec says nothing."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a step. `again_in` seconds it may go on even when nothing changes."""

    phase: Phase | Literal[""]
    again_in: float | None = None


class Operating:
    def __init__(
        self,
        comparing: Comparing,
        writer: Writer,
        events: Events,
        *,
        tracking: Callable[[], Tracking],
        now: Callable[[], datetime],
    ) -> None:
        self._comparing, self._writer, self._events = comparing, writer, events
        self._tracking, self._now = tracking, now
        self._deadlines = Deadlines(now)

    async def step(self, subject: Subject, project: Permissions, known: Known) -> Ended:
        """There is an operation. One step of it."""
        state = subject.status.operation_state
        operation = subject.app.operation
        if operation is None:
            return Ended("")
        if state is None or state.phase in COMPLETED:
            state = OperationState(operation=operation, phase="Running", started_at=self._stamp())
            await self._writer.operation(subject, state)
        elif state.phase == "Running" and state.finished_at:
            left = self._until_retry(state)
            if left > 0:
                return Ended("Running", left)
            state = _retried(state)
            await self._writer.operation(subject, state)
        return await self._advance(subject, project, known, state)

    async def refuse(self, subject: Subject, message: str) -> None:
        """It cannot be run at all."""
        if subject.app.operation is None:
            return
        before = subject.status.operation_state
        state = OperationState(
            operation=subject.app.operation,
            phase="Error",
            message=message,
            started_at=before.started_at if before is not None else self._stamp(),
            finished_at=self._stamp(),
            sync_result=before.sync_result if before is not None else None,
        )
        await self._finish(subject, state)

    async def supersede(self, subject: Subject, revision: str) -> None:
        """Something newer has come: what still waits is ended, so that the newer may begin."""
        state = subject.status.operation_state
        if state is None or state.phase != "Running":
            return
        state.message = f"superseded by revision {revision} while it was {state.message or 'running'}"
        if state.finished_at:  # only waiting for its next attempt
            state.phase = "Failed"
            await self._finish(subject, state)
            return
        state.phase = "Terminating"
        await self._writer.operation(subject, state)

    async def _advance(
        self, subject: Subject, project: Permissions, known: Known, state: OperationState
    ) -> Ended:
        sync = state.operation.sync
        if sync is None:
            state.phase, state.message = "Error", "Invalid operation request: no operation specified"
            return await self._finish(subject, state)
        terminating = state.phase == "Terminating"
        if state.sync_result is None:
            state.sync_result = _result(subject, sync)
        if not terminating and (closed := self._closed(subject, project, known, state)):
            return await self._wait_for_window(subject, project, known, state, closed)
        comparison = await self._compare(subject, project, known, state, sync)
        if comparison is not None:
            outcome = await self._run(subject, project, known, state, sync, comparison)
            cause = state.message if terminating else ""
            state.phase, state.message = outcome.phase, outcome.message
            if cause.startswith("superseded"):
                state.message += f", {cause}"
            state.sync_result.resources = outcome.results
            if (late := self._deadlines.passed(subject, state)) and not terminating:
                state.phase, state.message = "Terminating", late
        return await self._conclude(subject, state, comparison, terminating=terminating)

    async def _compare(
        self, subject: Subject, project: Permissions, known: Known, state: OperationState, sync: Sync
    ) -> Comparison | None:
        """None: the state says why nothing can be synced."""
        result = state.sync_result
        assert result is not None
        sources = list(result.sources) or ([result.source] if result.source is not None else [])
        revisions = list(result.revisions) if result.sources else [result.revision]
        revisions += [""] * (
            len(sources) - len(revisions)
        )  # a source of which nothing was said is at its own
        try:
            manifests: list[Object] = [json.loads(one) for one in sync.manifests]
        except ValueError as error:
            state.phase, state.message = "Error", f"Failed to load local manifests: {error}"
            return None
        wanted = Wanted(sources, revisions, resolve=True, manifests=manifests)
        comparison = await self._comparing.compare(subject, project, known, wanted)
        result.revision = comparison.sync.revision
        result.revisions = comparison.sync.revisions
        policy = subject.app.spec.sync_policy
        if policy is not None and policy.managed_namespace_metadata is not None:
            result.managed_namespace_metadata = builtins(policy.managed_namespace_metadata)
        shared = [one.message for one in comparison.conditions if one.type == conditions.SHARED]
        if shared and Options.read(sync.sync_options).fail_on_shared:
            state.phase, state.message = "Failed", f"Shared resource found: {shared[0]}"
            return None
        errors = [
            one for one in comparison.conditions if one.type in {conditions.COMPARISON, conditions.INVALID}
        ]
        if errors:
            state.phase, state.message = "Error", conditions.words(errors)
            return None
        return comparison

    async def _run(
        self,
        subject: Subject,
        project: Permissions,
        known: Known,
        state: OperationState,
        sync: Sync,
        comparison: Comparison,
    ) -> Outcome:
        result = state.sync_result
        assert result is not None
        tracking = self._tracking()

        async def save(results: list[ResourceResult]) -> None:
            result.resources = results
            await self._writer.operation(subject, state, goes_on=state.phase == "Running")

        def permit(obj: Object, namespaced: bool) -> str:
            return _refusal(project, known, obj, namespaced=namespaced)

        chosen = [pair for pair in comparison.pairs if _is_chosen(pair, sync.resources, tracking)]
        request = _request(subject, state, sync)
        if request.options.respect_ignored:
            chosen = await self._comparing.respecting(subject, comparison.state, chosen)
        policy = subject.app.spec.sync_policy
        managed = policy.managed_namespace_metadata if policy is not None else None
        run = Run(
            client=comparison.state.client,
            request=request,
            pairs=chosen,
            hooks=comparison.hooks,
            recorded=list(result.resources),
            health_of=self._comparing.health_of,
            permit=permit,
            save=save,
            wrote=comparison.state.wrote,
            unmodified=comparison.unmodified,
            namespace_metadata=builtins(managed) if managed is not None else None,
        )
        return await (run.terminate() if state.phase == "Terminating" else run.advance())

    async def _conclude(
        self, subject: Subject, state: OperationState, comparison: Comparison | None, *, terminating: bool
    ) -> Ended:
        retry = state.operation.retry
        if state.phase in {"Failed", "Error"}:
            if not terminating and retrying.is_left(retry, state.retry_count):
                return await self._retry_later(subject, state)
            if state.retry_count:
                state.message = f"{state.message} (retried {state.retry_count} times)."
        if state.phase in COMPLETED:
            return await self._finish(subject, state, comparison)
        await self._writer.operation(subject, state, goes_on=state.phase == "Running")
        return Ended(
            state.phase, 0.0 if state.phase == "Terminating" else self._deadlines.left(subject, state)
        )

    async def _retry_later(self, subject: Subject, state: OperationState) -> Ended:
        now = self._now()
        try:
            at = retrying.next_attempt(state.operation.retry, now, state.retry_count)
        except ValueError as error:
            state.phase, state.message = "Error", f"{state.message} (failed to retry: {error})"
            return await self._finish(subject, state)
        state.phase, state.finished_at = "Running", stamp(now)
        state.retry_count += 1
        clock = at.strftime("%I:%M%p").lstrip("0")
        state.message = f"{state.message}. Retrying attempt #{state.retry_count} at {clock}."
        await self._writer.operation(subject, state)
        return Ended("Running", (at - now).total_seconds())

    async def _finish(
        self, subject: Subject, state: OperationState, comparison: Comparison | None = None
    ) -> Ended:
        state.finished_at = self._stamp()
        history: list[HistoryEntry] | None = None
        sync = state.operation.sync
        if comparison is not None and state.phase == "Succeeded" and sync is not None:
            if not sync.dry_run and not sync.resources:
                history = _history(subject, state, comparison)
        await self._writer.operation(subject, state, history=history)
        self._deadlines.forget(subject)
        self._tell(subject, state)
        return Ended(state.phase)

    def _tell(self, subject: Subject, state: OperationState) -> None:
        sync, result = state.operation.sync, state.sync_result
        what = "Partial sync operation" if sync is not None and sync.resources else "Sync operation"
        if result is not None:
            what += f" to {','.join(result.revisions) or result.revision}"
        if state.phase == "Succeeded":
            self._events.normal(subject.object, "OperationCompleted", f"{what} succeeded")
        else:
            self._events.warning(subject.object, "OperationCompleted", f"{what} failed: {state.message}")

    def _closed(self, subject: Subject, project: Permissions, known: Known, state: OperationState) -> str:
        initiator = state.operation.initiated_by
        return project.sync_permitted(
            subject.app,
            known,
            manual=initiator is None or not initiator.automated,
            now=self._now(),
            started=datetime.fromisoformat(state.started_at),
        )

    async def _wait_for_window(
        self, subject: Subject, project: Permissions, known: Known, state: OperationState, why: str
    ) -> Ended:
        state.message = "Sync operation blocked by sync window"
        if why != state.message:
            state.message += f": {why}"
        await self._writer.operation(subject, state)
        opens = project.next_window(subject.app, known, now=self._now())
        return Ended("Running", (opens - self._now()).total_seconds() if opens is not None else None)

    def _until_retry(self, state: OperationState) -> float:
        failed_at = datetime.fromisoformat(state.finished_at)
        try:
            at = retrying.next_attempt(state.operation.retry, failed_at, max(state.retry_count - 1, 0))
        except ValueError:
            return 0.0
        return (at - self._now()).total_seconds()

    def _stamp(self) -> str:
        return stamp(self._now())


def _retried(state: OperationState) -> OperationState:
    refresh = state.operation.retry is not None and state.operation.retry.refresh
    if refresh and state.operation.sync is not None:
        state.operation.sync.revision, state.operation.sync.revisions = "", []
    state.message = (
        f"Retrying operation{' with latest revisions' if refresh else ''}. Attempt #{state.retry_count}"
    )
    state.finished_at, state.sync_result = "", None
    return state


def _result(subject: Subject, sync: Sync) -> SyncResult:
    """What is going to be synced: what the request says, or else the spec."""
    spec = subject.app.spec
    asked: list[Source] = list(sync.sources) or ([sync.source] if sync.source is not None else [])
    if asked:
        source, sources = sync.source, list(sync.sources)
    else:
        source, sources = (None if spec.sources else spec.source), list(spec.sources)
    return SyncResult(revision=sync.revision, revisions=list(sync.revisions), source=source, sources=sources)


def _request(subject: Subject, state: OperationState, sync: Sync) -> Request:
    strategy = sync.sync_strategy
    applied = strategy.apply if strategy is not None else None
    forced = applied or (strategy.hook if strategy is not None else None)
    result = state.sync_result
    assert result is not None
    return Request(
        namespace=subject.app.spec.destination.namespace,
        revision=result.revision or (result.revisions[0] if result.revisions else ""),
        started_at=int(datetime.fromisoformat(state.started_at).timestamp()),
        options=Options.read(sync.sync_options),
        prune=sync.prune,
        prune_confirmed=is_approved(subject.app.metadata.get("annotations") or {}, state.started_at),
        dry_run=sync.dry_run,
        skip_hooks=applied is not None or bool(sync.resources),
        force=forced.force if forced is not None else False,
    )


def _refusal(project: Permissions, known: Known, obj: Object, *, namespaced: bool) -> str:
    group, _ = group_version(obj)
    kind = str(obj.get("kind", ""))
    if not project.kind_permitted(group, kind, name_of(obj), namespaced=namespaced):
        return f"resource {group}:{kind} is not permitted in project {project.name}"
    if namespaced and not project.destination_permitted(known, namespace_of(obj)):
        return f"namespace {namespace_of(obj)} is not permitted in project '{project.name}'"
    return ""


def _is_chosen(pair: Pair, selected: list[Selected], tracking: Tracking) -> bool:
    if not tracking.is_own(pair.live, pair.target):
        return False
    return not selected or any(
        (one.group, one.kind, one.name) == (pair.key.group, pair.key.kind, pair.key.name)
        and one.namespace in {"", pair.key.namespace}
        for one in selected
    )


def _history(subject: Subject, state: OperationState, comparison: Comparison) -> list[HistoryEntry]:
    before = subject.status.history
    kept = subject.app.spec.revision_history_limit
    most = _KEPT if kept is msgspec.UNSET else max(int(kept), 0)
    compared = comparison.sync.compared_to
    entry = HistoryEntry(
        id=before[-1].id + 1 if before else 0,
        deployed_at=state.finished_at,
        deploy_started_at=state.started_at,
        revision=comparison.sync.revision,
        revisions=comparison.sync.revisions,
        source=compared.source if compared is not None else None,
        sources=compared.sources if compared is not None else [],
        initiated_by=state.operation.initiated_by,
    )
    return [*before, entry][-most:] if most else []
