"""What a kustomization has gathered so far: resources, the settings of its transformers, and vars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from argosy.manifests.kustomize.documents import old_yaml
from argosy.manifests.kustomize.identity import CLUSTER_WIDE
from argosy.manifests.kustomize.kustomization import Var
from argosy.manifests.kustomize.merge_keys import BuiltIn, Custom, Schemas, cluster_wide_in
from argosy.manifests.kustomize.resource import Resource, append
from argosy.manifests.kustomize.settings import Settings
from argosy.manifests.kustomize.variables import take_over
from argosy.manifests.tree import SourceError


@dataclass(slots=True)
class Accumulated:
    resources: list[Resource] = field(default_factory=list)
    settings: Settings = field(default_factory=Settings)
    variables: dict[str, Var] = field(default_factory=dict)

    def take(self, other: Accumulated) -> None:
        append(self.resources, other.resources)
        self.settings = self.settings.merged(other.settings)
        take_over(self.variables, other.variables.values())

    def drop_deleted(self) -> None:
        self.resources = [one for one in self.resources if one.obj]


@dataclass(slots=True)
class Kinds:
    """What is known of kinds in one build, shared by all its resources. The first schema that a kustomization brings holds for all that
    comes after it, as upstream."""

    schemas: Schemas = field(default_factory=BuiltIn)
    more_cluster_wide: frozenset[tuple[str, str]] = frozenset()
    chosen: bool = False

    def __contains__(self, kind: object) -> bool:
        """Whether it belongs to the cluster."""
        return kind in CLUSTER_WIDE or kind in self.more_cluster_wide

    def choose(self, openapi: Mapping[str, str], document: str | None) -> None:
        if document is None:
            version = openapi.get("version", "")
            if version and version != _BUILT_IN:
                raise SourceError(
                    f"the specified OpenAPI version is not built in: {version}; the one that is: {_BUILT_IN}"
                )
            return
        if "version" in openapi:
            raise SourceError("builtin version and custom schema provided, cannot use both")
        value = old_yaml(document)
        value = value if isinstance(value, dict) else {}
        definitions = value.get("definitions")
        self.schemas = Custom(definitions if isinstance(definitions, dict) else {})
        self.more_cluster_wide = cluster_wide_in(value.get("paths"))
        self.chosen = True


_BUILT_IN = "v1.21.2"
