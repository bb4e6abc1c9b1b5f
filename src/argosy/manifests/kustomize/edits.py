"""What an Application says of its kustomization (`source.kustomize`), done as `kustomize edit` would do it, in Argo CD's order; the tree stays as it is."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from argosy.manifests.kustomize import images
from argosy.manifests.kustomize.kustomization import NAMES, ImageField, Kustomization, Label, Patch, Replica
from argosy.manifests.kustomize.reading import converted
from argosy.manifests.kustomize.roots import Root
from argosy.manifests.tree import SourceError, inside

_VARIABLE = re.compile(r"\$(?:\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*|[*#$@!?\-0-9]))")


@dataclass(frozen=True, slots=True)
class Edits:
    """The fields of `source.kustomize`, with its names. `environment` has what `${ARGOCD_APP_NAME}` and the like stand for."""

    name_prefix: str = ""
    name_suffix: str = ""
    images: Sequence[str] = ()
    replicas: Mapping[str, int | str] = field(default_factory=dict)
    common_labels: Mapping[str, str] = field(default_factory=dict)
    common_annotations: Mapping[str, str] = field(default_factory=dict)
    force_common_labels: bool = False
    force_common_annotations: bool = False
    label_without_selector: bool = False
    label_include_templates: bool = False
    common_annotations_envsubst: bool = False
    namespace: str = ""
    patches: Sequence[Mapping[str, Any]] = ()
    components: Sequence[str] = ()
    ignore_missing_components: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self != Edits(environment=self.environment)


NO_EDITS = Edits()


def edited(kustomization: Kustomization, edits: Edits, root: Root) -> Kustomization:
    """A changed copy. Errors name the field of the Application."""
    if not edits:
        return kustomization
    changed = msgspec.structs.replace(kustomization)
    for name, step in _STEPS:
        try:
            step(changed, edits, root)
        except SourceError as error:
            raise SourceError(f"spec.source.kustomize.{name}: {error}") from error
    return changed


def _set_names(to: Kustomization, edits: Edits, root: Root) -> None:
    to.name_prefix = edits.name_prefix or to.name_prefix
    to.name_suffix = edits.name_suffix or to.name_suffix


def _set_images(to: Kustomization, edits: Edits, root: Root) -> None:
    if not edits.images:
        return
    wanted = {one.name: one for one in (_image(_expanded(text, edits.environment)) for text in edits.images)}
    old = {one.name: one for one in to.images}
    merged = old | {name: _keeping(one, old.get(name, ImageField())) for name, one in wanted.items()}
    to.images = [merged[name] for name in sorted(merged)]


def _image(text: str) -> ImageField:
    """`name=new:tag@digest`, `name:tag`, `name@digest`."""
    name, equals, value = text.partition("=")
    reference = images.split(value if equals else text)
    if not equals and reference.name == text:
        raise SourceError(
            f"invalid format of image '{text}', use one of the following options: <image>=<newimage>:<newtag>,"
            " <image>=<newimage>@<digest>, <image>=<newimage>, <image>:<newtag>, <image>@<digest>"
        )
    if not equals:
        return ImageField(name=reference.name, new_tag=reference.tag, digest=reference.digest)
    return ImageField(name=name, new_name=reference.name, new_tag=reference.tag, digest=reference.digest)


def _keeping(wanted: ImageField, old: ImageField) -> ImageField:
    """`*` keeps what the kustomization says."""
    kept = {
        part: getattr(old, part) for part in ("new_name", "new_tag", "digest") if getattr(wanted, part) == "*"
    }
    return msgspec.structs.replace(wanted, **kept)


def _set_replicas(to: Kustomization, edits: Edits, root: Root) -> None:
    if edits.replicas:
        merged = {one.name: one for one in to.replicas}
        merged |= {name: Replica(name, _count(count)) for name, count in edits.replicas.items()}
        to.replicas = [merged[name] for name in sorted(merged)]


def _count(count: int | str) -> int:
    try:
        return int(count)
    except ValueError as error:
        raise SourceError(f"expected integer value for count. Received: {count}") from error


def _add_labels(to: Kustomization, edits: Edits, root: Root) -> None:
    if not edits.common_labels:
        return
    if edits.label_include_templates and not edits.label_without_selector:
        raise SourceError("--without-selector flag must be specified for --include-templates to work")
    values = {
        key: _unquoted(_expanded(value, edits.environment)) for key, value in edits.common_labels.items()
    }
    force = edits.force_common_labels
    if not edits.label_without_selector:
        to.common_labels = _added(to.common_labels, values, "label", force=force)
        return
    labels = list(to.labels)
    same = next(
        (
            index
            for index, one in enumerate(labels)
            if not one.include_selectors and one.include_templates == edits.label_include_templates
        ),
        None,
    )
    if same is None:
        to.labels = [*labels, Label(values, include_templates=edits.label_include_templates)]
    else:
        pairs = _added(labels[same].pairs, values, "label", force=force)
        labels[same] = msgspec.structs.replace(labels[same], pairs=pairs)
        to.labels = labels


def _add_annotations(to: Kustomization, edits: Edits, root: Root) -> None:
    if not edits.common_annotations:
        return
    expand = edits.common_annotations_envsubst
    values = {
        key: _unquoted(_expanded(value, edits.environment) if expand else value)
        for key, value in edits.common_annotations.items()
    }
    force = edits.force_common_annotations
    to.common_annotations = _added(to.common_annotations, values, "annotation", force=force)


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] == '"' else value


def _added(old: Mapping[str, str], more: Mapping[str, str], kind: str, *, force: bool) -> dict[str, str]:
    for key in more:
        if key in old and not force:
            raise SourceError(f"{kind} {key} already in kustomization file. Use --force to override.")
    return {**old, **more}


def _set_namespace(to: Kustomization, edits: Edits, root: Root) -> None:
    to.namespace = edits.namespace or to.namespace


def _add_patches(to: Kustomization, edits: Edits, root: Root) -> None:
    added = [converted(dict(one), Patch, lenient=True) for one in edits.patches]
    to.patches = [*to.patches, *added]


def _add_components(to: Kustomization, edits: Edits, root: Root) -> None:
    for pattern in edits.components:
        if edits.ignore_missing_components and not _is_kustomization(root, pattern):
            continue
        for path in _globbed(root, pattern):
            if path not in to.components:
                to.components = [*to.components, path]


def _is_kustomization(root: Root, path: str) -> bool:
    folder = inside(root.path, path, says=f"'{path}'")
    return any(root.tree.form(posixpath.join(folder, name)) == "file" for name in NAMES)


def _globbed(root: Root, pattern: str) -> list[str]:
    if not set(pattern) & set("*?["):
        root.below(pattern)  # raises when there is nothing
        return [pattern]
    found = [""]
    for part in pattern.split("/"):
        found = [posixpath.join(before, name) for before in found for name in _names(root, before, part)]
    if not found:
        raise SourceError(f"{pattern} has no match")
    return found


def _names(root: Root, before: str, part: str) -> list[str]:
    if part in {"", ".", ".."} or not set(part) & set("*?["):
        return [part]
    folder = inside(root.path, before, says=f"'{before}'")
    if root.tree.form(folder) != "folder":
        return []
    return fnmatch.filter(root.tree.names(folder), part)


def _expanded(text: str, environment: Mapping[str, str]) -> str:
    """As Go's `os.Expand`; `$$` is a dollar."""

    def value(found: re.Match[str]) -> str:
        name = found[1] if found[1] is not None else found[2]
        return "$" if name == "$" else environment.get(name, "")

    return _VARIABLE.sub(value, text)


_STEPS: tuple[tuple[str, Callable[[Kustomization, Edits, Root], None]], ...] = (
    ("namePrefix", _set_names),
    ("images", _set_images),
    ("replicas", _set_replicas),
    ("commonLabels", _add_labels),
    ("commonAnnotations", _add_annotations),
    ("namespace", _set_namespace),
    ("patches", _add_patches),
    ("components", _add_components),
)
