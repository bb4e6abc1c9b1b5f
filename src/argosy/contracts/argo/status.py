"""What the engine answers of an Application. Consumers read these fields, and some match the words of messages."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import field

from argosy.contracts.argo.operation import Initiator, OperationState
from argosy.contracts.argo.source import Described, Source

SyncCode = Literal["Synced", "OutOfSync", "Unknown"]
HealthCode = Literal["Healthy", "Suspended", "Progressing", "Missing", "Degraded", "Unknown"]
SourceType = Literal["Directory", "Kustomize", "Helm", "Plugin"]


class ResourceHealth(Described):
    status: str = ""
    message: str = ""


class AppHealth(Described):
    status: str = ""
    message: str = ""
    last_transition_time: str = ""


class ResourceStatus(Described):
    version: str
    kind: str
    name: str
    group: str = ""
    namespace: str = ""
    status: SyncCode | Literal[""] = ""
    health: ResourceHealth | None = None
    hook: bool = False
    requires_pruning: bool = False
    requires_deletion_confirmation: bool = False
    sync_wave: int = 0


class ComparedTo(Described):
    """`destination` and `ignore_differences` as the spec had them."""

    destination: dict[str, Any]
    source: Source | None = None
    sources: list[Source] = []
    ignore_differences: list[dict[str, Any]] = []


class SyncStatus(Described):
    status: SyncCode
    compared_to: ComparedTo | None = None
    revision: str = ""
    revisions: list[str] = []


class HistoryEntry(Described):
    id: int
    deployed_at: str
    deploy_started_at: str = ""
    revision: str = ""
    revisions: list[str] = []
    source: Source | None = None
    sources: list[Source] = []
    initiated_by: Initiator | None = None


class Condition(Described):
    """Types that end in `Error` or `Warning` mean just that."""

    type: str
    message: str
    last_transition_time: str = ""


class Summary(Described):
    images: list[str] = []
    external_urls: list[str] = field(default_factory=list, name="externalURLs")
    is_app_of_apps: bool = False


class Status(Described):
    resources: list[ResourceStatus] = []
    sync: SyncStatus | None = None
    health: AppHealth | None = None
    history: list[HistoryEntry] = []
    conditions: list[Condition] = []
    reconciled_at: str = ""
    operation_state: OperationState | None = None
    observed_at: str = ""
    source_type: SourceType | Literal[""] = ""
    source_types: list[SourceType | Literal[""]] = []
    summary: Summary | None = None
    resource_health_source: str = ""
    controller_namespace: str = ""
    source_hydrator: dict[str, Any] | None = None
