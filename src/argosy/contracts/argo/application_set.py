"""What a person asks of an ApplicationSet, and what the engine answers.

A template is an Application with tags in its texts, so it is kept as it was written; only what is rendered from it is typed.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import field

from argosy.contracts.argo.source import Described
from argosy.contracts.argo.status import ResourceHealth, ResourceStatus

Values = dict[str, str]
SyncChoice = Literal["create-only", "create-update", "create-delete", "sync"]
StepStatus = Literal["Waiting", "Pending", "Progressing", "Healthy"]


class Template(Described):
    metadata: dict[str, Any] = {}
    spec: dict[str, Any] = {}


class Requirement(Described):
    """Of a label selector, or of a step."""

    key: str = ""
    operator: str = ""
    values: list[str] = []


class Selector(Described):
    match_labels: dict[str, str] = {}
    match_expressions: list[Requirement] = []


class ListGenerator(Described):
    elements: list[dict[str, Any]] = []
    elements_yaml: str = ""
    template: Template | None = None


class ClusterGenerator(Described):
    selector: Selector | None = None
    values: Values = {}
    flat_list: bool = False
    template: Template | None = None


class GitPath(Described):
    path: str
    exclude: bool = False


class GitGenerator(Described):
    repo_url: str = field(name="repoURL")
    revision: str = ""
    directories: list[GitPath] = []
    files: list[GitPath] = []
    requeue_after_seconds: int | None = None
    path_param_prefix: str = ""
    values: Values = {}
    template: Template | None = None


class MatrixGenerator(Described):
    """The generators inside are read when their turn comes: the second may hold tags that the first fills."""

    generators: list[dict[str, Any]]
    template: Template | None = None


class MergeGenerator(Described):
    generators: list[dict[str, Any]]
    merge_keys: list[str] = []
    template: Template | None = None


class Generator(Described):
    """One of them; `selector` filters what it makes. Those kept as they are written need a provider of Git or a plugin."""

    list: ListGenerator | None = None
    clusters: ClusterGenerator | None = None
    git: GitGenerator | None = None
    scm_provider: dict[str, Any] | None = None
    cluster_decision_resource: dict[str, Any] | None = None
    pull_request: dict[str, Any] | None = None
    matrix: MatrixGenerator | None = None
    merge: MergeGenerator | None = None
    plugin: dict[str, Any] | None = None
    oci: dict[str, Any] | None = None
    selector: Selector | None = None


class SetSyncPolicy(Described):
    preserve_resources_on_deletion: bool = False
    applications_sync: SyncChoice | None = None


class Step(Described):
    match_expressions: list[Requirement] = []
    max_update: int | str | None = None


class RollingSync(Described):
    steps: list[Step] = []


class SetStrategy(Described):
    type: str = ""
    rolling_sync: RollingSync | None = None
    deletion_order: str = ""


class PreservedFields(Described):
    annotations: list[str] = []
    labels: list[str] = []


class IgnoredApplicationDifferences(Described):
    """Without a name: of all applications of the set."""

    name: str = ""
    json_pointers: list[str] = []
    jq_path_expressions: list[str] = []


class SetSpec(Described):
    generators: list[Generator]
    template: Template
    go_template: bool = False
    go_template_options: list[str] = []
    template_patch: str | None = None
    sync_policy: SetSyncPolicy | None = None
    strategy: SetStrategy | None = None
    preserved_fields: PreservedFields | None = None
    ignore_application_differences: list[IgnoredApplicationDifferences] = []
    apply_nested_selectors: bool = False


class SetCondition(Described):
    type: str
    status: Literal["True", "False", "Unknown"]
    reason: str
    message: str
    last_transition_time: str = ""


class ApplicationStep(Described):
    """How far the rollout is with one application. `step` counts from 1; -1 is in none."""

    application: str
    message: str
    status: StepStatus
    step: str
    target_revisions: list[str]
    last_transition_time: str = ""


class SetStatus(Described):
    conditions: list[SetCondition] = []
    application_status: list[ApplicationStep] = []
    resources: list[ResourceStatus] = []
    resources_count: int = 0
    health: ResourceHealth | None = None


class ApplicationSet(Described):
    spec: SetSpec
    metadata: dict[str, Any] = {}
    status: SetStatus | None = None
