"""The whole status of an application, from what was before and what was found now. Pure."""

from __future__ import annotations

import msgspec

from argosy.argo.cd.applications import conditions
from argosy.argo.cd.applications.comparison import Comparison
from argosy.argo.cd.applications.refreshing import Level, Need
from argosy.argo.cd.applications.subject import Subject
from argosy.contracts.argo.status import AppHealth, Condition, Status, SyncStatus

_EVALUATED = {*conditions.OF_SPEC, *conditions.OF_COMPARISON, conditions.SYNC}


def compared(
    subject: Subject, comparison: Comparison, found: list[Condition], need: Need, *, now: str, control: str
) -> Status:
    """`control`: the namespace of the installation. Health keeps its time while it stays the same."""
    before, report, types = subject.status, comparison.report, _types(comparison, subject.status)
    health = report.health if not comparison.failed else AppHealth(status=_health_before(before))
    several = bool(subject.app.spec.sources)
    looked = need.level >= Level.LATEST or not before.reconciled_at
    return msgspec.structs.replace(
        before,
        resources=report.resources,
        sync=comparison.sync,
        health=AppHealth(
            status=health.status,
            message=health.message,
            last_transition_time=_since(before, health.status, now),
        ),
        conditions=conditions.evaluated(before.conditions, found, _EVALUATED, now),
        reconciled_at=now if looked else before.reconciled_at,
        source_type="" if several or not types else types[0],
        source_types=types if several else [],
        summary=report.summary,
        controller_namespace=control,
    )


def refused(subject: Subject, found: list[Condition], *, now: str) -> Status:
    """Nothing can be said of it, but why."""
    before = subject.status
    unknown = SyncStatus(status="Unknown")
    return msgspec.structs.replace(
        before,
        conditions=conditions.evaluated(before.conditions, found, conditions.OF_SPEC, now),
        sync=unknown if before.sync is None else msgspec.structs.replace(before.sync, status="Unknown"),
        health=AppHealth(status="Unknown", last_transition_time=_since(before, "Unknown", now)),
    )


def changes(before: Status, after: Status) -> list[str]:
    """In words, for events."""
    pairs = (
        ("sync", before.sync.status if before.sync else "", after.sync.status if after.sync else ""),
        (
            "health",
            before.health.status if before.health else "",
            after.health.status if after.health else "",
        ),
    )
    return [f"Updated {what} status: {was} -> {now}" for what, was, now in pairs if was != now]


def _since(before: Status, status: str, now: str) -> str:
    same = before.health is not None and before.health.status == status
    return before.health.last_transition_time if same and before.health is not None else now


def _health_before(status: Status) -> str:
    return status.health.status if status.health is not None and status.health.status else "Unknown"


def _types(comparison: Comparison, before: Status) -> list[str]:
    if comparison.rendering is not None:
        return list(comparison.rendering.types)
    return list(before.source_types) or ([before.source_type] if before.source_type else [])
