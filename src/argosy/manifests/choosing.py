"""What kind of source a folder is, and what files beside it change about it."""

from __future__ import annotations

import msgspec

from argosy.contracts.argo.source import Source
from argosy.contracts.argo.status import SourceType
from argosy.kit import yaml_documents
from argosy.kit.errors import BadRequest
from argosy.manifests.documents import Rules
from argosy.manifests.tree import SourceError, Tree

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_OVERRIDES = (".argocd-source.yaml", ".argocd-source-{}.yaml")


def source_type(tree: Tree, path: str, source: Source) -> SourceType:
    """What the source says, or what lies in the folder itself."""
    if source.kustomize is not None:
        return "Kustomize"
    if source.helm is not None or source.chart:
        return "Helm"
    if source.directory is not None:
        return "Directory"
    if tree.form(_join(path, "Chart.yaml")) == "file":
        return "Helm"
    if any(tree.form(_join(path, name)) == "file" for name in KUSTOMIZATIONS):
        return "Kustomize"
    return "Directory"


def overridden(tree: Tree, path: str, source: Source, application: str) -> Source:
    """With what `.argocd-source.yaml`, and the one for this application, say of its parameters."""
    merged = msgspec.to_builtins(source)
    found = False
    for pattern in _OVERRIDES:
        name = _join(path, pattern.format(application))
        if tree.form(name) == "file":
            merged = _merged(merged, _read(tree, name))
            found = True
    if not found:
        return source
    for name in (
        "repoURL",
        "path",
        "targetRevision",
        "chart",
    ):  # where it comes from is not for the repository to say
        merged.pop(name, None)
    kept = {
        name: value
        for name, value in msgspec.to_builtins(source).items()
        if name in {"repoURL", "path", "targetRevision", "chart"}
    }
    try:
        return msgspec.convert({**merged, **kept}, Source)
    except msgspec.ValidationError as error:
        raise SourceError(f"{_join(path, '.argocd-source.yaml')}: {error}") from error


def _read(tree: Tree, name: str) -> object:
    try:
        documents = yaml_documents.documents(tree.read(name), Rules(), what=name)
    except BadRequest as error:
        raise SourceError(f"error while parsing source parameters: {name}: {error.message}") from error
    return documents[0] if documents else {}


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
