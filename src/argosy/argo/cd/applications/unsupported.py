"""What an Application asks for and this engine does not do: named, because silence would look like having done it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import inspect

from argosy.contracts.argo.application import Spec
from argosy.contracts.argo.source import Source

_PLUGIN = (
    "config management plugins run as sidecars of Argo CD; render with Kustomize, Helm or jsonnet instead"
)
_HYDRATOR = "manifests are not written to a branch before they are synced; use source or sources"


def unsupported(spec: Spec) -> list[str]:
    """What keeps the application from being synced at all."""
    found = [f"spec.sourceHydrator is not supported: {_HYDRATOR}"] if spec.source_hydrator else []
    for path, source in _sources(spec):
        if source.plugin is not None:
            found.append(f"{path}.plugin is not supported: {_PLUGIN}")
    return found


def unknown(spec: object) -> list[str]:
    """Fields that nobody knows: most are misspelt, and an API server that keeps them does not say so."""
    return [
        f"spec{path} is unknown and has no effect" for path in _unknown(spec, inspect.type_info(Spec), "")
    ]


def _sources(spec: Spec) -> Iterator[tuple[str, Source]]:
    if spec.source is not None:
        yield "spec.source", spec.source
    for number, source in enumerate(spec.sources):
        yield f"spec.sources[{number}]", source


def _unknown(value: object, known: inspect.Type, path: str) -> Iterator[str]:
    if isinstance(known, inspect.UnionType):
        kinds = [one for one in known.types if not isinstance(one, inspect.NoneType)]
        known = kinds[0] if len(kinds) == 1 else known
    if isinstance(known, inspect.ListType) and isinstance(value, list):
        for number, one in enumerate(value):
            yield from _unknown(one, known.item_type, f"{path}[{number}]")
    elif isinstance(known, inspect.StructType) and isinstance(value, dict):
        fields: dict[str, msgspec.inspect.Field] = {one.encode_name: one for one in known.fields}
        for name, one in value.items():
            if name not in fields:
                yield f"{path}.{name}"
            else:
                yield from _unknown(one, fields[name].type, f"{path}.{name}")
