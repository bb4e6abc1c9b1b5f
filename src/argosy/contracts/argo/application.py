"""What a person asks of an Application."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from argosy.contracts.argo.operation import Operation, Retry
from argosy.contracts.argo.source import Described, NamedValue, Source
from argosy.contracts.argo.status import Status

GROUP, VERSION = "argoproj.io", "v1alpha1"


class Destination(Described):
    """`server` or `name`, never both. `namespace` is for objects that name none."""

    server: str = ""
    name: str = ""
    namespace: str = ""


class Automated(Described):
    """Its presence switches automatic syncs on; only `enabled: false` switches them off again."""

    prune: bool = False
    self_heal: bool = False
    allow_empty: bool = False
    enabled: bool = True


class NamespaceMetadata(Described):
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class SyncPolicy(Described):
    automated: Automated | None = None
    sync_options: list[str] = []
    retry: Retry | None = None
    managed_namespace_metadata: NamespaceMetadata | None = None


class IgnoreDifferences(Described):
    """`group` and `kind` are globs, `name` and `namespace` exact."""

    kind: str
    group: str = ""
    name: str = ""
    namespace: str = ""
    json_pointers: list[str] = []
    jq_path_expressions: list[str] = []
    managed_fields_managers: list[str] = []


class Spec(Described):
    destination: Destination
    project: str
    source: Source | None = None
    sources: list[Source] = []
    source_hydrator: dict[str, Any] | None = None
    sync_policy: SyncPolicy | None = None
    ignore_differences: list[IgnoreDifferences] = []
    info: list[NamedValue] = []
    revision_history_limit: int | UnsetType = UNSET


class Application(Described):
    """Everything is one object without a status subresource: spec, the requested operation and the status."""

    spec: Spec
    metadata: dict[str, Any] = {}
    operation: Operation | None = None
    status: Status | None = None
