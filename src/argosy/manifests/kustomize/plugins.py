"""Transformers and generators that are configured as objects of their own, under `transformers`, `validators` and `generators`.

Only the built-in ones (`apiVersion: builtin`) work. What upstream would start (executables, containers, shared libraries) is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from argosy.manifests.kustomize import names, patches, transformers
from argosy.manifests.kustomize.accumulated import Accumulated
from argosy.manifests.kustomize.documents import old_yaml
from argosy.manifests.kustomize.generators import generated
from argosy.manifests.kustomize.kustomization import ConfigMapArgs, HelmChart, Patch, SecretArgs
from argosy.manifests.kustomize.paths import scalar, split
from argosy.manifests.kustomize.plugin_configs import (
    AffixesConfig,
    Config,
    EntriesConfig,
    ImageConfig,
    NamespaceConfig,
    PatchConfig,
    PolicyConfig,
    ReplacementsConfig,
    ReplicaConfig,
    ValueAddConfig,
    ValueTarget,
    ValueTargets,
)
from argosy.manifests.kustomize.reading import converted
from argosy.manifests.kustomize.resource import Resource
from argosy.manifests.kustomize.resource_files import resources_of
from argosy.manifests.kustomize.scalars import new_text, untagged
from argosy.manifests.kustomize.selectors import selected
from argosy.manifests.kustomize.transformers import Apply, At, specs_of
from argosy.manifests.tree import SourceError


def transformer(config: Resource, at: At) -> Apply:
    _check_built_in(config)
    make = _TRANSFORMERS.get(config.kind)
    if make is None:
        raise _unknown(config, "transformer", _GENERATORS)
    return make(config.finished(), at)


def generator(config: Resource, at: At) -> list[Resource] | HelmChart:
    """A chart is left to whoever can render it."""
    _check_built_in(config)
    if config.kind == "HelmChartInflationGenerator":
        return converted(config.finished(), HelmChart, lenient=True)
    make = _GENERATORS.get(config.kind)
    if make is None:
        raise _unknown(config, "generator", _TRANSFORMERS)
    return make(config.finished(), at)


def _check_built_in(config: Resource) -> None:
    gvk = config.gvk
    if gvk.group or gvk.version != "builtin":
        raise SourceError(
            f"external plugins disabled; unable to load external plugin '{gvk.kind}' (apiVersion {gvk.api_version}): only"
            " transformers and generators of apiVersion `builtin` work here"
        )


def _unknown(config: Resource, wanted: str, others: dict[str, Any]) -> SourceError:
    if config.kind in others:
        return SourceError(f"plugin {config.id} not a {wanted}")
    return SourceError(f"unable to load builtin {config.gvk}")


def _entries(value: Any, at: At) -> Apply:
    config = converted(value, EntriesConfig, lenient=True)
    of = config.annotations if value.get("kind") == "AnnotationsTransformer" else config.labels
    return transformers.with_entries(of, specs_of(config.field_specs or []))


def _namespace(value: Any, at: At) -> Apply:
    config = converted(value, NamespaceConfig, lenient=True)
    mode = config.set_role_binding_subjects or "defaultOnly"
    if mode not in {"allServiceAccounts", "defaultOnly", "none"}:
        raise SourceError(
            f'invalid value "{mode}" for setRoleBindingSubjects: must be one of "defaultOnly", "none" or "allServiceAccounts"'
        )
    if not config.metadata.namespace:
        return _nothing
    subjects: names.SubjectMode = mode  # type: ignore[assignment] # checked above
    specs = specs_of(config.field_specs or [])
    return transformers.in_namespace(config.metadata.namespace, specs, subjects, unset_only=config.unset_only)


def _nothing(to: Accumulated) -> None:
    """What a transformer without a value does."""


def _affixes(value: Any, at: At) -> Apply:
    config = converted(value, AffixesConfig, lenient=True)
    if config.field_specs is None:
        raise SourceError("fieldSpecs is not expected to be nil")
    specs = specs_of(config.field_specs)
    kind = value.get("kind")

    def apply(to: Accumulated) -> None:
        if kind != "SuffixTransformer":
            names.add_prefix(to.resources, config.prefix, specs)
        if kind != "PrefixTransformer":
            names.add_suffix(to.resources, config.suffix, specs)

    return apply


def _image(value: Any, at: At) -> Apply:
    config = converted(value, ImageConfig, lenient=True)
    return transformers.with_image(config.image_tag, specs_of(config.field_specs or []))


def _replica(value: Any, at: At) -> Apply:
    config = converted(value, ReplicaConfig, lenient=True)
    return transformers.with_replicas(
        config.replica.name, config.replica.count, specs_of(config.field_specs or [])
    )


def _patch(value: Any, at: At) -> Apply:
    config = converted(value, PatchConfig, lenient=True)
    patch = Patch(config.path, config.patch, config.target, config.options)
    return transformers.with_patch(patches.read_patch(at.root, patch, at.kinds), at)


def _old_json(value: Any, at: At) -> Apply:
    config = converted(value, PatchConfig, lenient=True)
    patch = Patch(config.path, config.json_op, config.target)
    return transformers.with_patch(patches.read_old_json(at.root, patch), at)


def _old_strategic(value: Any, at: At) -> Apply:
    config = converted(value, PatchConfig, lenient=True)
    if not config.paths and not config.patches:
        raise SourceError("empty file path and empty patch content")
    found = patches.read_old_strategic(at.root, config.paths, at.kinds)
    if config.patches:
        found += resources_of(config.patches, at.kinds)
    return transformers.with_old_strategic(found, at)


def _replacements(value: Any, at: At) -> Apply:
    config = converted(value, ReplacementsConfig, lenient=True)
    return transformers.with_replacements(config.replacements, at.root)


def _hashes(value: Any, at: At) -> Apply:
    return lambda to: names.add_hashes(to.resources)


def _value_add(value: Any, at: At) -> Apply:
    config = converted(value, ValueAddConfig, lenient=True)
    text = config.value.strip() or at.root.shown.rpartition("/")[2]
    targets = list(config.targets)
    if config.target_file_path:
        targets += converted(
            old_yaml(at.root.file(config.target_file_path)), ValueTargets, lenient=True
        ).targets
    if not targets:
        raise SourceError("must specify at least one target")
    if not all(one.field_path for one in targets):
        raise SourceError("fieldPath cannot be empty")
    if any(one.file_path_position < 0 for one in targets):
        raise SourceError("value of FilePathPosition cannot be negative")

    def apply(to: Accumulated) -> None:
        for target in targets:
            chosen = to.resources if target.selector is None else selected(to.resources, target.selector)
            for one in chosen:
                _add_value(one, text, target)

    return apply


def _add_value(one: Resource, text: str, target: ValueTarget) -> None:
    if target.field_path == "metadata/namespace":
        names.place_in(one, text, [])
        return
    position = target.file_path_position

    def value(old: str) -> str:
        return _inserted(old, position - 1, text) if position else text

    *way, last = split(target.field_path)
    at: Any = one.obj
    for part in way:
        at = at.setdefault(part, {}) if isinstance(at, dict) else None
    if not isinstance(at, dict):
        raise SourceError(f"'{target.field_path}' of {one.id}: wrong node kind: expected MappingNode")
    at[last] = scalar(value, untagged)(at[last]) if last in at else new_text(value(""))


def _inserted(path: str, position: int, part: str) -> str:
    if not part:
        return path
    parts = path.split("/") if path else []
    position = min(max(position, 0), len(parts))
    if parts and not parts[0] and position < len(parts):
        position += 1
    return "/".join([*parts[:position], part, *parts[position:]])


def _config_map(value: Any, at: At) -> list[Resource]:
    return [_generated(converted(value, ConfigMapArgs, lenient=True), value, at)]


def _secret(value: Any, at: At) -> list[Resource]:
    return [_generated(converted(value, SecretArgs, lenient=True), value, at)]


def _generated(args: ConfigMapArgs, value: Any, at: At) -> Resource:
    metadata = converted(value, Config, lenient=True).metadata
    args.name, args.namespace = args.name or metadata.name, args.namespace or metadata.namespace
    return generated(at.root, args, at.kinds)


def _iam_policy(value: Any, at: At) -> list[Resource]:
    config = converted(value, PolicyConfig, lenient=True)
    if config.cloud != "gke":
        raise SourceError(f"cloud provider {config.cloud} not supported yet")
    google = config.service_account
    account = f"{google.name}@{google.project_id}.iam.gserviceaccount.com"
    metadata: dict[str, Any] = {
        "annotations": {"iam.gke.io/gcp-service-account": account},
        "name": config.kubernetes_service.name,
    }
    if config.kubernetes_service.namespace:
        metadata["namespace"] = config.kubernetes_service.namespace
    return [Resource({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}, at.kinds)]


_TRANSFORMERS: dict[str, Callable[[Any, At], Apply]] = {
    "AnnotationsTransformer": _entries,
    "HashTransformer": _hashes,
    "ImageTagTransformer": _image,
    "LabelTransformer": _entries,
    "NamespaceTransformer": _namespace,
    "PatchJson6902Transformer": _old_json,
    "PatchStrategicMergeTransformer": _old_strategic,
    "PatchTransformer": _patch,
    "PrefixSuffixTransformer": _affixes,
    "PrefixTransformer": _affixes,
    "ReplacementTransformer": _replacements,
    "ReplicaCountTransformer": _replica,
    "SuffixTransformer": _affixes,
    "ValueAddTransformer": _value_add,
}
_GENERATORS: dict[str, Callable[[Any, At], list[Resource]]] = {
    "ConfigMapGenerator": _config_map,
    "IAMPolicyGenerator": _iam_policy,
    "SecretGenerator": _secret,
}
