"""The transformers that a kustomization's own fields ask for, in upstream's order, whatever the order in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from argosy.manifests.kustomize import images, labels, names, patches
from argosy.manifests.kustomize.accumulated import Accumulated, Kinds
from argosy.manifests.kustomize.documents import old_yaml
from argosy.manifests.kustomize.identity import Gvk
from argosy.manifests.kustomize.kustomization import (
    ImageField,
    Kustomization,
    Label,
    Patch,
    Replacement,
    Spec,
)
from argosy.manifests.kustomize.located import located
from argosy.manifests.kustomize.paths import FieldSpec
from argosy.manifests.kustomize.reading import converted
from argosy.manifests.kustomize.replacements import replace_all
from argosy.manifests.kustomize.resource import Resource
from argosy.manifests.kustomize.roots import Root
from argosy.manifests.kustomize.settings import Settings, merge_all
from argosy.manifests.kustomize.strategic import Merge
from argosy.manifests.tree import SourceError

Apply: TypeAlias = Callable[[Accumulated], None]


class Transformer(NamedTuple):
    kind: str
    """Upstream's name for it; `buildMetadata` writes it."""
    field: str
    """What in the kustomization asks for it."""
    apply: Apply


class At(NamedTuple):
    """Where a transformer is read, and what it works with."""

    root: Root
    kinds: Kinds
    settings: Settings

    @property
    def merge(self) -> Merge:
        return Merge(self.kinds.schemas)


def of_kustomization(kustomization: Kustomization, at: At) -> Iterator[Transformer]:
    settings = at.settings
    if kustomization.patches_strategic_merge:
        yield _old_strategic(kustomization.patches_strategic_merge, at)
    for index, patch in enumerate(kustomization.patches):
        yield _patch(patch, f"patches[{index}]", at)
    if namespace := kustomization.namespace:
        yield Transformer("NamespaceTransformer", "namespace", in_namespace(namespace, settings.namespace))
    if prefix := kustomization.name_prefix:
        yield Transformer("PrefixTransformer", "namePrefix", with_prefix(prefix, settings.name_prefix))
    if suffix := kustomization.name_suffix:
        yield Transformer("SuffixTransformer", "nameSuffix", with_suffix(suffix, settings.name_suffix))
    yield from _labels(kustomization, settings)
    if annotations := kustomization.common_annotations:
        apply = with_entries(annotations, settings.common_annotations)
        yield Transformer("AnnotationsTransformer", "commonAnnotations", apply)
    for index, patch in enumerate(kustomization.patches_json6902):
        yield _old_json(patch, f"patchesJson6902[{index}]", at)
    for index, replica in enumerate(kustomization.replicas):
        apply = with_replicas(replica.name, replica.count, settings.replicas)
        yield Transformer("ReplicaCountTransformer", f"replicas[{index}]", apply)
    for index, image in enumerate(kustomization.images):
        yield Transformer("ImageTagTransformer", f"images[{index}]", with_image(image, settings.images))
    if kustomization.replacements:
        apply = with_replacements(kustomization.replacements, at.root)
        yield Transformer("ReplacementTransformer", "replacements", apply)


def _old_strategic(entries: list[str], at: At) -> Transformer:
    with located("patchesStrategicMerge"):
        apply = with_old_strategic(patches.read_old_strategic(at.root, entries, at.kinds), at)
    return Transformer("PatchStrategicMergeTransformer", "patchesStrategicMerge", apply)


def _patch(patch: Patch, field: str, at: At) -> Transformer:
    with located(field):
        apply = with_patch(patches.read_patch(at.root, patch, at.kinds), at)
    return Transformer("PatchTransformer", field, apply)


def _old_json(patch: Patch, field: str, at: At) -> Transformer:
    with located(field):
        apply = with_patch(patches.read_old_json(at.root, patch), at)
    return Transformer("PatchJson6902Transformer", field, apply)


def _labels(kustomization: Kustomization, settings: Settings) -> Iterator[Transformer]:
    if not kustomization.labels and not kustomization.common_labels:
        return
    for index, label in enumerate(kustomization.labels):
        field = f"labels[{index}]"
        with located(field):
            specs = label_specs(label, settings)
        yield Transformer("LabelTransformer", field, with_entries(label.pairs, specs))
    apply = with_entries(kustomization.common_labels, settings.common_labels)
    yield Transformer("LabelTransformer", "commonLabels", apply)


def label_specs(label: Label, settings: Settings) -> list[FieldSpec]:
    specs = merge_all(specs_of(label.fields), settings.labels, "labels")
    if label.include_selectors:
        return merge_all(specs, settings.common_labels, "labels")
    if label.include_templates:
        specs = merge_all(specs, settings.template_labels, "template")
    if label.include_volume_claim_templates:
        specs = merge_all(specs, settings.claim_labels, "volumeClaimTemplate")
    return merge_all(specs, [FieldSpec("metadata/labels", create=True)], "labels")


def specs_of(fields: Sequence[Spec]) -> list[FieldSpec]:
    return [FieldSpec(one.path, Gvk(one.group, one.version, one.kind), one.create) for one in fields]


def in_namespace(
    namespace: str,
    specs: Sequence[FieldSpec],
    subjects: names.SubjectMode = "defaultOnly",
    *,
    unset_only: bool = False,
) -> Apply:
    def apply(to: Accumulated) -> None:
        names.set_namespace(to.resources, namespace, specs, subjects=subjects, unset_only=unset_only)

    return apply


def with_prefix(prefix: str, specs: Sequence[FieldSpec]) -> Apply:
    return lambda to: names.add_prefix(to.resources, prefix, specs)


def with_suffix(suffix: str, specs: Sequence[FieldSpec]) -> Apply:
    return lambda to: names.add_suffix(to.resources, suffix, specs)


def with_entries(values: dict[str, str], specs: Sequence[FieldSpec]) -> Apply:
    return lambda to: labels.add_entries(to.resources, values, specs)


def with_replicas(name: str, count: int, specs: Sequence[FieldSpec]) -> Apply:
    return lambda to: labels.set_replicas(to.resources, name, count, specs)


def with_image(image: ImageField, specs: Sequence[FieldSpec]) -> Apply:
    wanted = images.Image(image.name, image.new_name, image.tag_suffix, image.new_tag, image.digest)
    return lambda to: images.set_images(to.resources, wanted, specs)


def with_patch(patch: patches.Strategic | patches.Json, at: At) -> Apply:
    def apply(to: Accumulated) -> None:
        to.resources = patch.apply(to.resources, at.merge)

    return apply


def with_old_strategic(found: Sequence[Resource], at: At) -> Apply:
    if not found:
        raise SourceError("patch appears to be empty")

    def apply(to: Accumulated) -> None:
        to.resources = patches.apply_old_strategic(to.resources, found, at.merge)

    return apply


def with_replacements(fields: Sequence[Replacement], root: Root) -> Apply:
    found: list[Replacement] = []
    for index, one in enumerate(fields):
        with located(f"replacements[{index}]"):
            found += _replacements(one, root)
    return lambda to: replace_all(to.resources, found)


def _replacements(field: Replacement, root: Root) -> list[Replacement]:
    if not field.path:
        return [field]
    if field.source is not None or field.targets:
        raise SourceError("cannot specify both path and inline replacement")
    value = old_yaml(root.file(field.path))
    if not isinstance(value, list | dict):
        raise SourceError("unsupported replacement type encountered within replacement path: invalid")
    entries = value if isinstance(value, list) else [value]
    return [converted(one, Replacement, lenient=True) for one in entries]
