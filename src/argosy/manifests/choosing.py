"""What kind of source a folder is, and what files beside it change about it."""

from __future__ import annotations

import msgspec

from argosy.contracts.argo.source import Source
from argosy.contracts.argo.status import SourceType
from argosy.manifests.kustomize.documents import old_yaml
from argosy.manifests.kustomize.kustomization import NAMES
from argosy.manifests.tree import SourceError, Tree

_OVERRIDES = (".argocd-source.yaml", ".argocd-source-{}.yaml")
_OF_ONE = ".argocd-source-"


def source_type(tree: Tree, path: str, source: Source) -> SourceType:
    """What the source says, or what lies in the folder itself."""
    if (said := _said(source)) is not None:
        return said
    if source.chart:
        return "Helm"
    if any(tree.form(_join(path, name)) == "file" for name in NAMES):
        return "Kustomize"
    return "Helm" if tree.form(_join(path, "Chart.yaml")) == "file" else "Directory"


def _said(source: Source) -> SourceType | None:
    """A block in which nothing is set says nothing."""
    if source.plugin is not None:
        raise SourceError("plugin is not supported: config management plugins run as sidecars of Argo CD")
    blocks: tuple[tuple[SourceType, msgspec.Struct | None], ...] = (
        ("Kustomize", source.kustomize),
        ("Helm", source.helm),
        ("Directory", source.directory),
    )
    found = [name for name, block in blocks if block is not None and block != type(block)()]
    if len(found) > 1:
        raise SourceError(f"multiple application sources defined: {','.join(found)}")
    return found[0] if found else None


def overridden(tree: Tree, path: str, source: Source, application: str) -> Source:
    """With what `.argocd-source.yaml`, and the one for this application, say of its parameters."""
    merged: object = None
    for pattern in _OVERRIDES:
        name = _join(path, pattern.format(application))
        if "/" in application or tree.form(name) != "file":
            continue
        merged = _merged(msgspec.to_builtins(source) if merged is None else merged, _read(tree, name))
        try:
            source = _moved(source, msgspec.convert(merged, Source))
        except msgspec.ValidationError as error:
            raise SourceError(f"error while parsing source parameters: {name}: {error}") from error
    return source


def _moved(source: Source, to: Source) -> Source:
    """Where it comes from is not for the repository to say."""
    return msgspec.structs.replace(
        to,
        repo_url=source.repo_url,
        path=source.path,
        target_revision=source.target_revision,
        chart=source.chart,
    )


def has_overrides_of_one(tree: Tree, path: str) -> bool:
    """Whether some application has parameters of its own in this folder."""
    return any(name.startswith(_OF_ONE) for name in tree.names(path))


def _read(tree: Tree, name: str) -> object:
    try:
        return old_yaml(tree.read(name).decode())
    except (SourceError, UnicodeDecodeError) as error:
        raise SourceError(f"error while parsing source parameters: {name}: {error}") from error


def _merged(value: object, patch: object) -> object:
    """A merge patch (RFC 7386)."""
    if not isinstance(patch, dict):
        return patch
    base = dict(value) if isinstance(value, dict) else {}
    for name, one in patch.items():
        if one is None:
            base.pop(name, None)
        else:
            base[name] = _merged(base.get(name), one)
    return base


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name
