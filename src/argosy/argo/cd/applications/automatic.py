"""Whether an application that is out of sync is synced without being asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from argosy.argo.cd.applications.conditions import SYNC
from argosy.argo.cd.applications.reading import sources_of
from argosy.argo.cd.applications.retrying import self_heal_pause
from argosy.contracts.argo.application import Application, Automated
from argosy.contracts.argo.operation import Initiator, Operation, OperationState, Retry, Selected, Sync
from argosy.contracts.argo.status import Condition, ResourceStatus, SyncStatus

_LIMIT = 5
"""Of attempts, where the policy says nothing; a sync that a person asked for has none."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Why not is said in `because`; `again_in` seconds it may be otherwise."""

    operation: Operation | None = None
    condition: Condition | None = None
    because: str = ""
    again_in: float = 0.0


def decide(
    app: Application,
    sync: SyncStatus,
    resources: Sequence[ResourceStatus],
    *,
    has_changes: bool,
    now: datetime,
) -> Decision:
    """`has_changes`: whether the new revision renders to anything else than the one that was synced last."""
    policy = app.spec.sync_policy.automated if app.spec.sync_policy is not None else None
    if policy is None or not policy.enabled:
        return Decision(because="automatic sync is off")
    if refused := _refused(app, sync, resources, policy):
        return Decision(because=refused)
    revisions = list(sync.revisions) or [sync.revision]
    operation = _operation(app, sync, policy)
    assert operation.sync is not None
    state = app.status.operation_state if app.status is not None else None
    if state is not None and _was_attempted(app, state, revisions, has_changes):
        again = _again(state, policy, revisions, now)
        if again is not None:
            return again
        before = state.operation.sync
        operation.sync.self_heal_attempts = (before.self_heal_attempts if before is not None else 0) + 1
        operation.sync.resources = _out_of_sync(resources)
    if policy.prune and not policy.allow_empty and all(one.requires_pruning for one in resources):
        message = f"Skipping sync attempt to {_list(revisions)}: auto-sync will wipe out all resources"
        return Decision(condition=Condition(type=SYNC, message=message), because=message)
    return Decision(operation=operation)


def _refused(
    app: Application, sync: SyncStatus, resources: Sequence[ResourceStatus], policy: Automated
) -> str:
    if app.operation is not None:
        return "another operation is in progress"
    if "deletionTimestamp" in app.metadata:
        return "deletion in progress"
    if sync.status != "OutOfSync":
        return f"application status is {sync.status}"
    if not policy.prune and all(one.status == "Synced" or one.requires_pruning for one in resources):
        return "need to prune extra resources only but automated prune is disabled"
    return ""


def _again(state: OperationState, policy: Automated, revisions: list[str], now: datetime) -> Decision | None:
    """What was attempted already is not repeated, but to heal what somebody changed since. None: heal."""
    if state.phase != "Succeeded":
        message = f"Failed last sync attempt to {_list(_attempted(state))}: {state.message}"
        return Decision(condition=Condition(type=SYNC, message=message), because=message)
    if not policy.self_heal:
        return Decision(because=f"most recent sync already to {_list(revisions)}")
    attempts = state.operation.sync.self_heal_attempts if state.operation.sync is not None else 0
    since = (now - datetime.fromisoformat(state.finished_at)).total_seconds() if state.finished_at else 0.0
    left = self_heal_pause(attempts) - since
    if left > 0:
        return Decision(
            because=f"already healed {attempts} times; the next time in {left:.0f} s", again_in=left
        )
    return None


def _was_attempted(app: Application, state: OperationState, revisions: list[str], has_changes: bool) -> bool:
    if state.sync_result is None:
        return state.phase in {"Failed", "Error", "Succeeded"}
    if has_changes and _attempted(state) != revisions:
        return False
    result = state.sync_result
    before = list(result.sources) or ([result.source] if result.source is not None else [])
    return before == sources_of(app.spec)


def _attempted(state: OperationState) -> list[str]:
    result = state.sync_result
    return [] if result is None else list(result.revisions) or [result.revision]


def _operation(app: Application, sync: SyncStatus, policy: Automated) -> Operation:
    several = bool(app.spec.sources)
    whole = app.spec.sync_policy
    assert whole is not None
    return Operation(
        sync=Sync(
            source=None if several else app.spec.source,
            sources=app.spec.sources,
            revision=sync.revision,
            revisions=sync.revisions,
            prune=policy.prune,
            sync_options=whole.sync_options,
        ),
        initiated_by=Initiator(automated=True),
        retry=whole.retry if whole.retry is not None else Retry(limit=_LIMIT),
    )


def _out_of_sync(resources: Sequence[ResourceStatus]) -> list[Selected]:
    return [
        Selected(kind=one.kind, group=one.group, name=one.name, namespace=one.namespace)
        for one in resources
        if one.status != "Synced" and not one.hook
    ]


def _list(revisions: Sequence[str]) -> str:
    """As Go prints a list, because these messages are matched."""
    return f"[{' '.join(revisions)}]"
