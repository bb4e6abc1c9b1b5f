"""A requested operation, and how it goes. Whoever writes `operation` into an Application asks for a sync."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType, field

from argosy.contracts.argo.source import Described, NamedValue, Source

Phase = Literal["Running", "Terminating", "Failed", "Error", "Succeeded"]
ResultCode = Literal["Synced", "SyncFailed", "Pruned", "PruneSkipped"]


class Backoff(Described):
    """Durations as Go writes them (`5s`, `3m`)."""

    duration: str = ""
    factor: int | None = None
    max_duration: str = ""


class Retry(Described):
    """A negative limit is none at all; `refresh`: with the newest revision instead of the failed one."""

    limit: int | UnsetType = UNSET
    backoff: Backoff | None = None
    refresh: bool = False


class Selected(Described):
    """One object of a selective sync."""

    kind: str
    name: str
    group: str = ""
    namespace: str = ""


class ApplyStrategy(Described):
    force: bool = False


class Strategy(Described):
    """`apply` runs no hooks; `hook` is the usual one."""

    apply: ApplyStrategy | None = None
    hook: ApplyStrategy | None = None


class Sync(Described):
    revision: str = ""
    revisions: list[str] = []
    prune: bool = False
    dry_run: bool = False
    sync_strategy: Strategy | None = None
    resources: list[Selected] = []
    source: Source | None = None
    sources: list[Source] = []
    manifests: list[str] = []
    sync_options: list[str] = []
    self_heal_attempts: int = field(default=0, name="autoHealAttemptsCount")
    change_revision: str = ""
    change_revisions: list[str] = []


class Initiator(Described):
    username: str = ""
    automated: bool = False


class Operation(Described):
    sync: Sync | None = None
    initiated_by: Initiator | None = None
    info: list[NamedValue] = []
    retry: Retry | None = None


class ResourceResult(Described):
    group: str
    version: str
    kind: str
    namespace: str
    name: str
    status: ResultCode | Literal[""] = ""
    message: str = ""
    hook_type: str = ""
    hook_phase: Phase | Literal[""] = ""
    sync_phase: str = ""
    images: list[str] = []


class SyncResult(Described):
    revision: str
    resources: list[ResourceResult] = []
    source: Source | None = None
    sources: list[Source] = []
    revisions: list[str] = []
    managed_namespace_metadata: dict[str, dict[str, str]] | None = None


class OperationState(Described):
    """A retry that waits is `Running` with `finished_at` set."""

    operation: Operation
    phase: Phase
    started_at: str
    message: str = ""
    sync_result: SyncResult | None = None
    finished_at: str = ""
    retry_count: int = 0
