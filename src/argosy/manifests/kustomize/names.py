"""Transformers of names: prefix, suffix, namespace, and the hash behind the names of what was generated.

Each remembers what a resource was called before, so that `references` can follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from argosy.kube.objects import Object
from argosy.manifests.kustomize.hashing import content_hash
from argosy.manifests.kustomize.identity import Gvk
from argosy.manifests.kustomize.paths import FieldSpec, change_field, scalar, wrong_kind
from argosy.manifests.kustomize.resource import Resource
from argosy.manifests.kustomize.scalars import is_null, new_text, text_of, text_written, untagged
from argosy.manifests.tree import SourceError

SubjectMode: TypeAlias = Literal["", "defaultOnly", "allServiceAccounts", "none"]
_KEEP_THEIR_NAMES = (
    Gvk(kind="CustomResourceDefinition"),
    Gvk("apiregistration.k8s.io", kind="APIService"),
    Gvk(kind="Namespace"),
)


def add_prefix(resources: Sequence[Resource], prefix: str, specs: Sequence[FieldSpec]) -> None:
    _add(resources, specs, prefix, "")


def add_suffix(resources: Sequence[Resource], suffix: str, specs: Sequence[FieldSpec]) -> None:
    _add(resources, specs, "", suffix)


def _add(resources: Sequence[Resource], specs: Sequence[FieldSpec], prefix: str, suffix: str) -> None:
    for one in resources:
        first = one.first_id.gvk
        if any(first.selected_by(gvk) for gvk in _KEEP_THEIR_NAMES):
            continue
        for spec in specs:
            if not spec.about(first):
                continue
            if spec.path == "metadata/name" and (prefix or suffix):
                one.prefixes += [prefix] if prefix else []
                one.suffixes += [suffix] if suffix else []
                one.remember()
            change_field(one, spec, scalar(lambda text: f"{prefix}{text}{suffix}", untagged), "scalar")


def add_hashes(resources: Sequence[Resource]) -> None:
    for one in resources:
        if one.hashed:
            digest = content_hash(one.obj)
            one.remember()
            one.set_name(f"{one.name}-{digest}")


def set_namespace(
    resources: Sequence[Resource],
    namespace: str,
    specs: Sequence[FieldSpec],
    *,
    subjects: SubjectMode = "defaultOnly",
    unset_only: bool = False,
) -> None:
    """Raises when two resources have the same name then."""
    counted = Counter(_key(one) for one in resources)
    for one in resources:
        if one.from_chart:
            continue
        before = _key(one)
        one.remember()
        place_in(one, namespace, specs, subjects=subjects, unset_only=unset_only)
        after = _key(one)
        counted[before] -= 1
        counted[after] += 1
        if counted[after] > 1:
            raise SourceError(f"namespace transformation produces ID conflict: {one.id}")


def _key(one: Resource) -> tuple[Gvk, str, str]:
    identity = one.id
    return identity.gvk, identity.name, identity.scope


def place_in(
    one: Resource,
    namespace: str,
    specs: Sequence[FieldSpec],
    *,
    subjects: SubjectMode = "defaultOnly",
    unset_only: bool = False,
) -> None:
    def value(text: str) -> str:
        return text if unset_only and text else namespace

    core = text_of(one.obj.get("apiVersion", "")) == "v1"
    binding = one.kind in {"RoleBinding", "ClusterRoleBinding"}
    if not one.cluster_scoped:
        change_field(one, FieldSpec("metadata/namespace", create=True), scalar(value), "scalar")
    if binding:
        _place_subjects(one.obj, subjects, value)
    for spec in specs:
        if spec.path == "metadata/namespace" or (spec.path == "metadata/name" and not core):
            continue
        if (
            binding
            and spec.path == "subjects/namespace"
            and spec.gvk.kind in {"RoleBinding", "ClusterRoleBinding"}
        ):
            continue
        try:
            change_field(one, spec, scalar(value), "scalar")
        except SourceError as error:
            raise SourceError(f"namespace transformation failed: {error}") from error


def _place_subjects(obj: Object, mode: SubjectMode, value: Callable[[str], str]) -> None:
    """A service account that a binding gives rights to moves with it; without a mode, only the one named `default`."""
    if mode == "none" or is_null(found := obj.get("subjects")):
        return
    if not isinstance(found, list):
        raise SourceError(f"subjects: {wrong_kind('SequenceNode', found)}")
    key, wanted = ("kind", "ServiceAccount") if mode == "allServiceAccounts" else ("name", "default")
    for subject in found:
        if isinstance(subject, dict) and text_of(subject.get(key, "")) == wanted:
            old = subject.get("namespace")
            text = value("" if is_null(old) else text_of(old))
            subject["namespace"] = text_written(old, text) if "namespace" in subject else new_text(text)
