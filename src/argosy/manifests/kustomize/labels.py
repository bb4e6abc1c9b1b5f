"""Transformers of labels and annotations, replica counts and images: each sets a value in every place that its specifications name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from argosy.manifests.kustomize.paths import Change, FieldSpec, change_field, entry, wrong_kind
from argosy.manifests.kustomize.resource import Resource
from argosy.manifests.kustomize.scalars import Scalar, written
from argosy.manifests.tree import SourceError


def add_entries(resources: Sequence[Resource], values: Mapping[str, str], specs: Sequence[FieldSpec]) -> None:
    """Labels, or annotations."""
    for one in resources:
        gvk = one.gvk
        about = [spec for spec in specs if spec.about(gvk)]
        for key in sorted(values):
            change = entry(key, values[key], [] if len(about) > 1 else None)
            for spec in about:
                change_field(one, spec, change, "mapping")


def set_replicas(resources: Sequence[Resource], name: str, count: int, specs: Sequence[FieldSpec]) -> None:
    found = False
    called_so = [one for one in resources if any(known.name == name for known in one.any_id())]
    for spec in specs:
        for one in called_so:
            if any(known.name == name and spec.about(known.gvk) for known in one.any_id()):
                found = True
                change_field(one, spec, _count(count), "scalar")
    if not found:
        kinds = " ".join(str(spec.gvk) for spec in specs)
        raise SourceError(
            f"resource with name {name} does not match a config with the following GVK [{kinds}]"
        )


def _count(count: int) -> Change:
    def change(old: Scalar) -> Scalar:
        if isinstance(old, dict | list):
            raise wrong_kind("ScalarNode", old)
        return written(old, count)

    return change
