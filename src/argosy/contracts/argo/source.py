"""Where an Application's manifests come from."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field


class Described(Struct, rename="camel", omit_defaults=True, kw_only=True):
    """What every part of these resources has in common: what is empty is not written."""


class HelmParameter(Described):
    name: str = ""
    value: str = ""
    force_string: bool = False


class HelmFileParameter(Described):
    name: str = ""
    path: str = ""


class HelmSource(Described):
    value_files: list[str] = []
    parameters: list[HelmParameter] = []
    release_name: str = ""
    values: str = ""
    file_parameters: list[HelmFileParameter] = []
    version: str = ""
    pass_credentials: bool = False
    ignore_missing_value_files: bool = False
    skip_crds: bool = False
    values_object: dict[str, Any] | None = None
    namespace: str = ""
    kube_version: str = ""
    api_versions: list[str] = []
    skip_tests: bool = False
    skip_schema_validation: bool = False


class KustomizeReplica(Described):
    name: str
    count: int | str


class KustomizeSelector(Described):
    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    annotation_selector: str = ""
    label_selector: str = ""


class KustomizePatch(Described):
    path: str = ""
    patch: str = ""
    target: KustomizeSelector | None = None
    options: dict[str, bool] = {}


class KustomizeSource(Described):
    name_prefix: str = ""
    name_suffix: str = ""
    images: list[str] = []
    common_labels: dict[str, str] = {}
    version: str = ""
    common_annotations: dict[str, str] = {}
    force_common_labels: bool = False
    force_common_annotations: bool = False
    namespace: str = ""
    common_annotations_envsubst: bool = False
    replicas: list[KustomizeReplica] = []
    patches: list[KustomizePatch] = []
    components: list[str] = []
    ignore_missing_components: bool = False
    label_without_selector: bool = False
    label_include_templates: bool = False
    kube_version: str = ""
    api_versions: list[str] = []


class JsonnetVariable(Described):
    name: str
    value: str
    code: bool = False


class Jsonnet(Described):
    ext_vars: list[JsonnetVariable] = []
    tlas: list[JsonnetVariable] = []
    libs: list[str] = []


class DirectorySource(Described):
    recurse: bool = False
    jsonnet: Jsonnet | None = None
    exclude: str = ""
    include: str = ""


class NamedValue(Described):
    name: str
    value: str


class PluginSource(Described):
    """Config management plugins are sidecars, which an embedded engine does not run: a condition says so."""

    name: str = ""
    env: list[NamedValue] = []
    parameters: list[dict[str, Any]] = []


class Source(Described):
    repo_url: str = field(name="repoURL")
    path: str = ""
    target_revision: str = ""
    helm: HelmSource | None = None
    kustomize: KustomizeSource | None = None
    directory: DirectorySource | None = None
    plugin: PluginSource | None = None
    chart: str = ""
    ref: str = ""
    name: str = ""
    tag_prefix: str = ""
