"""Whether an application has to be looked at again, and how thoroughly."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum

import msgspec

from argosy.argo.cd.applications.reading import REFRESH
from argosy.contracts.argo.application import Application, Spec
from argosy.contracts.argo.status import ComparedTo


class Level(IntEnum):
    """What is compared: nothing anew, live objects with the revision of the last time, with the latest known one, with one looked up now."""

    NOTHING = 0
    RECENT = 1
    LATEST = 2
    RESOLVED = 3


@dataclass(frozen=True, slots=True)
class Need:
    reason: str
    level: Level
    fresh: bool = False
    """By a hard refresh: nothing from caches."""


def needed(app: Application, requested: Level | None, *, now: datetime, expires: timedelta) -> Need | None:
    """`requested` by the engine itself, when something of the application changed. The first reason counts."""
    asked = (app.metadata.get("annotations") or {}).get(REFRESH)
    if asked:
        return Need(f"{asked} refresh requested", Level.RESOLVED, fresh=asked == "hard")
    compared = app.status.sync.compared_to if app.status is not None and app.status.sync is not None else None
    if compared is None or app.status is None or not app.status.reconciled_at:
        return Need("never compared", Level.RESOLVED)
    if not _same_sources(app.spec, compared):
        return Need("spec.source differs", Level.RESOLVED)
    if _moment(app.status.reconciled_at) + expires < now:
        return Need("comparison expired", Level.LATEST)
    if compared.destination != destination_of(app.spec):
        return Need("spec.destination differs", Level.LATEST)
    if compared.ignore_differences != ignored_of(app.spec):
        return Need("spec.ignoreDifferences differs", Level.LATEST)
    if requested is not None:
        return Need("controller refresh requested", requested)
    return None


def destination_of(spec: Spec) -> dict[str, object]:
    found: dict[str, object] = msgspec.to_builtins(spec.destination)
    return found


def ignored_of(spec: Spec) -> list[dict[str, object]]:
    return [msgspec.to_builtins(one) for one in spec.ignore_differences]


def _same_sources(spec: Spec, compared: ComparedTo) -> bool:
    if spec.sources or compared.sources:
        return spec.sources == compared.sources
    return spec.source == compared.source


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
