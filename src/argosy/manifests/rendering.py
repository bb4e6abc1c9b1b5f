"""Objects from a source, whatever kind it is: choose the renderer, run it on a tree that remembers what was read, check what it answers.

Runs in a worker (`jobs`); nothing here fetches anything.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from argosy.contracts.argo.source import DirectorySource, HelmSource, KustomizeSource, Source
from argosy.contracts.argo.status import SourceType
from argosy.kube.objects import Object
from argosy.manifests import directory, helm
from argosy.manifests.choosing import has_overrides_of_one, overridden, source_type
from argosy.manifests.documents import checked
from argosy.manifests.environment import Environment
from argosy.manifests.exporting import export
from argosy.manifests.inflating import inflator
from argosy.manifests.kustomize import Edits, Options, build
from argosy.manifests.kustomize.binary import build_with
from argosy.manifests.programs import Limits
from argosy.manifests.tree import Inputs, MissingPath, Recorded, SourceError, Tree

_OF_THE_SOURCE = frozenset(
    {"ARGOCD_APP_SOURCE_REPO_URL", "ARGOCD_APP_SOURCE_PATH", "ARGOCD_APP_SOURCE_TARGET_REVISION"}
)
"""Variables that are the same for every application with this source."""


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """Whose manifests these become. `application` is the instance name; the namespace is the destination's."""

    application: str
    name: str
    namespace: str
    environment: dict[str, str]
    kube_version: str = ""
    api_versions: list[str] = []


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """What the installation gives. `kustomize` is a binary instead of the built-in one."""

    helm: str = ""
    kustomize: str = ""
    build_options: str = ""
    seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Made:
    type: SourceType
    objects: list[Object]
    inputs: Inputs
    others: dict[str, Inputs]
    variables: set[str]
    looks_at_cluster: bool
    is_anybodys: bool


@dataclass(frozen=True, slots=True)
class _Work:
    tree: Tree
    path: str
    source: Source
    subject: Subject
    chosen: Chosen
    environment: Environment
    others: Mapping[str, Tree]
    fetched: Mapping[str, str]


def render(
    tree: Tree,
    source: Source,
    subject: Subject,
    chosen: Chosen,
    others: Mapping[str, Tree],
    fetched: Mapping[str, str],
) -> Made:
    read = Recorded(tree)
    also_read = {name: Recorded(one) for name, one in others.items()}
    path = _path(source)
    if read.form(path) != "folder":
        raise MissingPath(f"{path or '.'}: app path does not exist")
    source = overridden(read, path, source, subject.application)
    kind = source_type(read, path, source)
    environment = Environment(subject.environment)
    work = _Work(read, path, source, subject, chosen, environment, also_read, fetched)
    objects = checked(_RENDERERS[kind](work), what=source.chart or path or ".")
    inflates = kind == "Helm" or (kind == "Kustomize" and not chosen.kustomize and _options(work).helm)
    return Made(
        kind,
        objects,
        read.inputs,
        {name: one.inputs for name, one in also_read.items()},
        environment.used,
        inflates,
        not inflates and environment.used <= _OF_THE_SOURCE and not has_overrides_of_one(tree, path),
    )


def _path(source: Source) -> str:
    if source.chart:
        return ""
    parts = [part for part in source.path.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise SourceError(f"{source.path}: app path is outside repository root")
    return "/".join(parts)


def _kustomize(work: _Work) -> list[Object]:
    edits = _edits(work.source.kustomize or KustomizeSource(), work.environment)
    with tempfile.TemporaryDirectory(prefix="kustomize-") as folder:
        if work.chosen.kustomize:
            export(work.tree, "", Path(folder))
            words = shlex.split(work.chosen.build_options)
            limits = Limits(work.chosen.seconds)
            binary = Path(work.chosen.kustomize)
            return build_with(binary, Path(folder), work.path, edits=edits, options=words, limits=limits)
        options = _options(work)
        inflate = inflator(work.tree, _release(work, Path(folder))) if options.helm else None
        return build(work.tree, work.path, edits=edits, options=options, helm=inflate)


def _options(work: _Work) -> Options:
    return Options.read(work.chosen.build_options)


def _helm(work: _Work) -> list[Object]:
    with tempfile.TemporaryDirectory(prefix="chart-") as folder:
        release = _release(work, Path(folder))
        return helm.render(work.tree, work.path, work.source.helm or HelmSource(), work.environment, release)


def _release(work: _Work, folder: Path) -> helm.Release:
    if not work.chosen.helm:
        raise SourceError(
            "there is no helm on this machine, which renders charts; install helm 3 (argosy doctor)"
        )
    return helm.Release(
        program=work.chosen.helm,
        name=work.subject.name,
        namespace=work.subject.namespace,
        folder=folder,
        trees=work.others,
        fetched={name: Path(where) for name, where in work.fetched.items()},
        kube_version=work.subject.kube_version,
        api_versions=work.subject.api_versions,
        seconds=work.chosen.seconds,
    )


def _directory(work: _Work) -> list[Object]:
    said = work.source.directory or DirectorySource()
    return directory.render(work.tree, work.path, said, work.environment)


_RENDERERS = {"Kustomize": _kustomize, "Helm": _helm, "Directory": _directory}


def _edits(source: KustomizeSource, environment: Environment) -> Edits:
    return Edits(
        name_prefix=source.name_prefix,
        name_suffix=source.name_suffix,
        images=source.images,
        replicas={one.name: one.count for one in source.replicas},
        common_labels=source.common_labels,
        common_annotations=source.common_annotations,
        force_common_labels=source.force_common_labels,
        force_common_annotations=source.force_common_annotations,
        label_without_selector=source.label_without_selector,
        label_include_templates=source.label_include_templates,
        common_annotations_envsubst=source.common_annotations_envsubst,
        namespace=source.namespace,
        patches=[msgspec.to_builtins(one) for one in source.patches],
        components=source.components,
        ignore_missing_components=source.ignore_missing_components,
        environment=environment,
    )
