"""How the built-in transformers and generators are configured as objects. `plugins` makes them work."""

from __future__ import annotations

import msgspec

from argosy.manifests.kustomize.kustomization import (
    ImageField,
    Metadata,
    PatchOptions,
    Replacement,
    Replica,
    Selector,
    Spec,
)


class Config(msgspec.Struct, rename="camel"):
    metadata: Metadata = msgspec.field(default_factory=Metadata)
    field_specs: list[Spec] | None = None


class EntriesConfig(Config):
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class NamespaceConfig(Config):
    unset_only: bool = False
    set_role_binding_subjects: str = ""


class AffixesConfig(Config):
    prefix: str = ""
    suffix: str = ""


class ImageConfig(Config):
    image_tag: ImageField = msgspec.field(default_factory=ImageField)


class ReplicaConfig(Config):
    replica: Replica = msgspec.field(default_factory=Replica)


class PatchConfig(Config):
    path: str = ""
    patch: str = ""
    target: Selector | None = None
    options: PatchOptions | None = None
    json_op: str = ""
    paths: list[str] = []
    patches: str = ""


class ReplacementsConfig(Config):
    replacements: list[Replacement] = []


class ValueTarget(msgspec.Struct, rename="camel"):
    selector: Selector | None = None
    field_path: str = ""
    file_path_position: int = 0


class ValueAddConfig(Config):
    value: str = ""
    targets: list[ValueTarget] = []
    target_file_path: str = ""


class ValueTargets(msgspec.Struct):
    targets: list[ValueTarget] = []


class GoogleAccount(msgspec.Struct, rename="camel"):
    name: str = ""
    project_id: str = ""


class ClusterAccount(msgspec.Struct):
    name: str = ""
    namespace: str = ""


class PolicyConfig(Config):
    cloud: str = ""
    kubernetes_service: ClusterAccount = msgspec.field(default_factory=ClusterAccount)
    service_account: GoogleAccount = msgspec.field(default_factory=GoogleAccount)
