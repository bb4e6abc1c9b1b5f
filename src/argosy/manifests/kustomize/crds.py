"""What the OpenAPI definitions named under `crds` say of custom resources: which of their fields are labels, annotations or names of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from argosy.manifests.kustomize.identity import Gvk
from argosy.manifests.kustomize.paths import FieldSpec
from argosy.manifests.kustomize.settings import Settings
from argosy.manifests.tree import SourceError

_MOST_LEVELS = 50


def settings_of(value: Any, file: str) -> Settings:
    if not isinstance(value, dict):
        raise SourceError(f"unable to parse open API definition from '{file}'")
    found = Settings()
    for name, definition in value.items():
        properties = _properties(definition)
        if {"kind", "apiVersion", "metadata"} <= properties.keys():
            kind = str(name).rpartition(".")[2]
            for path, field in _fields(value, str(name), ()):
                found = found.merged(_settings(Gvk(kind=kind), "/".join(path), field))
    return found


def _fields(
    definitions: Mapping[str, Any], name: str, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    if len(path) > _MOST_LEVELS:
        raise SourceError(f"the definition of {name} refers to itself")
    for key, field in _properties(definitions.get(name)).items():
        if not isinstance(field, dict):
            continue
        here = (*path, str(key))
        yield here, field
        if isinstance(reference := field.get("$ref"), str):
            yield from _fields(definitions, reference, here)


def _properties(definition: Any) -> Mapping[str, Any]:
    schema = definition.get("Schema", definition.get("schema")) if isinstance(definition, dict) else None
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def _settings(gvk: Gvk, path: str, field: Mapping[str, Any]) -> Settings:
    found = Settings()
    spec = FieldSpec(path, gvk)
    if "x-kubernetes-annotation" in field:
        found = replace(found, common_annotations=[spec])
    if "x-kubernetes-label-selector" in field:
        found = replace(found, common_labels=[spec])
    if "x-kubernetes-identity" in field:
        found = replace(found, name_prefix=[spec])
    version, kind = (
        field.get("x-kubernetes-object-ref-api-version"),
        field.get("x-kubernetes-object-ref-kind"),
    )
    if isinstance(version, str) and isinstance(kind, str):
        key = field.get("x-kubernetes-object-ref-name-key", "name")
        found = replace(found, references=[(Gvk("", version, kind), [FieldSpec(f"{path}/{key}", gvk)])])
    return found
