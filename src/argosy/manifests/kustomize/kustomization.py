"""What may stand in a `kustomization.yaml`. `reading` reads it."""

from __future__ import annotations

from typing import Any

import msgspec

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
VERSION, KIND = "kustomize.config.k8s.io/v1beta1", "Kustomization"
COMPONENT_VERSION, COMPONENT = "kustomize.config.k8s.io/v1alpha1", "Component"


class _Part(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    pass


class Metadata(_Part):
    name: str = ""
    namespace: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class Spec(_Part):
    """A field specification."""

    group: str = ""
    version: str = ""
    kind: str = ""
    path: str = ""
    create: bool = False


class Label(_Part):
    pairs: dict[str, str] = {}
    include_selectors: bool = False
    include_templates: bool = False
    include_volume_claim_templates: bool = False
    fields: list[Spec] = []


class Selector(_Part):
    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    annotation_selector: str = ""
    label_selector: str = ""


class PatchOptions(_Part):
    allow_name_change: bool = False
    allow_kind_change: bool = False


class Patch(_Part):
    path: str = ""
    patch: str = ""
    target: Selector | None = None
    options: PatchOptions | None = None


class ImageField(_Part):
    name: str = ""
    new_name: str = ""
    tag_suffix: str = ""
    new_tag: str = ""
    digest: str = ""


class FieldOptions(_Part):
    delimiter: str = ""
    index: int = 0
    encoding: str = ""
    create: bool = False


class Source(_Part):
    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    field_path: str = ""
    options: FieldOptions | None = None


class Target(_Part):
    select: Selector | None = None
    reject: list[Selector] = []
    field_paths: list[str] = []
    options: FieldOptions | None = None


class Replacement(_Part):
    source: Source | None = None
    targets: list[Target] | None = None
    source_value: str | None = None
    path: str = ""


class Replica(_Part):
    name: str = ""
    count: int = 0


class ObjectReference(_Part):
    api_version: str = ""
    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""


class FieldReference(_Part):
    field_path: str = ""


class Var(_Part):
    name: str = ""
    objref: ObjectReference = msgspec.field(default_factory=ObjectReference)
    fieldref: FieldReference = msgspec.field(default_factory=FieldReference)


class LegacySortOptions(_Part):
    order_first: list[str] = []
    order_last: list[str] = []


class SortOptions(_Part):
    order: str = ""
    legacy_sort_options: LegacySortOptions | None = None


class GeneratorOptions(_Part):
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    disable_name_suffix_hash: bool = False
    immutable: bool = False


class ConfigMapArgs(_Part):
    namespace: str = ""
    name: str = ""
    behavior: str = ""
    literals: list[str] = []
    files: list[str] = []
    envs: list[str] = []
    env: str = ""
    options: GeneratorOptions | None = None


class SecretArgs(ConfigMapArgs):
    type: str = ""


class HelmGlobals(_Part):
    chart_home: str = ""
    config_home: str = ""


def _helm_name(name: str) -> str:
    first, *rest = name.split("_")
    return "includeCRDs" if name == "include_crds" else first + "".join(part.capitalize() for part in rest)


class HelmChart(_Part, rename=_helm_name):
    name: str = ""
    version: str = ""
    repo: str = ""
    release_name: str = ""
    namespace: str = ""
    additional_values_files: list[str] = []
    values_file: str = ""
    values_inline: dict[str, Any] = {}
    values_merge: str = ""
    include_crds: bool = False
    skip_hooks: bool = False
    api_versions: list[str] = []
    kube_version: str = ""
    name_template: str = ""
    skip_tests: bool = False
    debug: bool = False
    devel: bool = False


class OldHelmChart(_Part):
    """An entry of `helmChartInflationGenerator`."""

    chart_name: str = ""
    chart_version: str = ""
    chart_repo_url: str = ""
    chart_home: str = ""
    chart_repo_name: str = ""
    helm_bin: str = ""
    helm_home: str = ""
    values: str = ""
    values_local: dict[str, Any] = {}
    values_merge: str = ""
    release_name: str = ""
    release_namespace: str = ""
    extra_args: list[str] = []


class Kustomization(_Part):
    kind: str = ""
    api_version: str = ""
    metadata: Metadata | None = None
    openapi: dict[str, str] = {}
    name_prefix: str = ""
    name_suffix: str = ""
    namespace: str = ""
    common_labels: dict[str, str] = {}
    labels: list[Label] = []
    common_annotations: dict[str, str] = {}
    patches_strategic_merge: list[str] = []
    patches_json6902: list[Patch] = []
    patches: list[Patch] = []
    images: list[ImageField] = []
    image_tags: list[ImageField] = []
    replacements: list[Replacement] = []
    replicas: list[Replica] = []
    vars: list[Var] = []
    sort_options: SortOptions | None = None
    resources: list[str] = []
    components: list[str] = []
    crds: list[str] = []
    bases: list[str] = []
    config_map_generator: list[ConfigMapArgs] = []
    secret_generator: list[SecretArgs] = []
    helm_globals: HelmGlobals | None = None
    helm_charts: list[HelmChart] = []
    helm_chart_inflation_generator: list[OldHelmChart] = []
    generator_options: GeneratorOptions | None = None
    configurations: list[str] = []
    generators: list[str] = []
    transformers: list[str] = []
    validators: list[str] = []
    build_metadata: list[str] = []
