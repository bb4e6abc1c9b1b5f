"""What workers are asked to do, and what they answer: everything that is slow, or that runs what people wrote.

A job says where its files are and does all the rest by itself: no network, no state, no folder but its own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import msgspec

from argosy.contracts.argo.source import DirectorySource, HelmSource, KustomizeSource, Source
from argosy.contracts.argo.status import SourceType
from argosy.kit.git.reading import Reader
from argosy.kit.git.tree import GitTree
from argosy.kube.objects import Object
from argosy.manifests import directory, helm
from argosy.manifests.choosing import overridden, source_type
from argosy.manifests.documents import checked
from argosy.manifests.environment import Environment
from argosy.manifests.folder import FolderTree
from argosy.manifests.helm import Dependency, MissingDependencies
from argosy.manifests.kustomize import Edits, Options, build
from argosy.manifests.tree import Inputs, MissingPath, Recorded, SourceError, Tree, unchanged

_OBJECTS = msgspec.json.Encoder()


class Place(msgspec.Struct, frozen=True):
    """A commit of a bare repository, or a folder (then `commit` is empty)."""

    path: str
    commit: str = ""


class Render(msgspec.Struct, frozen=True, tag_field="is", tag=True, kw_only=True):
    """`others` are the sources that value files may name. `fetched` has dependencies of charts by their key."""

    place: Place
    source: Source
    application: str
    name: str
    namespace: str
    environment: dict[str, str]
    others: dict[str, Place] = {}
    fetched: dict[str, str] = {}
    helm: str = ""
    kube_version: str = ""
    api_versions: list[str] = []
    build_options: str = ""
    seconds: float = 60.0


class Rendered(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    """`inputs`: what was read of the place, and of the others by their name. The objects are JSON."""

    type: SourceType
    objects: bytes
    inputs: Inputs
    others: dict[str, Inputs] = {}
    depends_on_revision: bool = False


class Needs(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    dependencies: list[Dependency]


class Unchanged(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    """Which of these sets of inputs are the same in that place."""

    place: Place
    inputs: list[Inputs]


class Same(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    same: list[bool]


class Jq(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    """The object less what the expressions find in it."""

    object: Object
    expressions: tuple[str, ...]


class Cleaned(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    object: Object


class Failed(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    """In words for whoever wrote the source. `is_missing`: its path is not there."""

    message: str
    is_missing: bool = False


Job: TypeAlias = Render | Unchanged | Jq
Answer: TypeAlias = Rendered | Needs | Same | Cleaned | Failed


def run(job: Job) -> Answer:
    try:
        match job:
            case Render():
                return _render(job)
            case Unchanged():
                tree = _tree(job.place)
                return Same([unchanged(inputs, tree) for inputs in job.inputs])
            case Jq():
                return Cleaned(_without(job.object, job.expressions))
    except MissingDependencies as error:
        return Needs(error.missing)
    except SourceError as error:
        return Failed(str(error), is_missing=isinstance(error, MissingPath))


def _render(job: Render) -> Answer:
    tree = Recorded(_tree(job.place))
    others = {name: Recorded(_tree(place)) for name, place in job.others.items()}
    path = job.source.path.strip("/").removeprefix("./")
    path = "" if path == "." else path
    if tree.form(path) != "folder":
        raise MissingPath(f"{job.source.path or '.'}: app path does not exist")
    source = overridden(tree, path, job.source, job.name)
    kind = source_type(tree, path, source)
    environment = Environment(job.environment)
    objects = _objects(kind, tree, path, source, environment, job, others)
    return Rendered(
        kind,
        _OBJECTS.encode(checked(objects, what=job.source.path or job.source.chart or ".")),
        tree.inputs,
        {name: one.inputs for name, one in others.items()},
        environment.depends_on_revision,
    )


def _objects(
    kind: SourceType,
    tree: Tree,
    path: str,
    source: Source,
    environment: Environment,
    job: Render,
    others: Mapping[str, Tree],
) -> list[Object]:
    if kind == "Kustomize":
        edits = _edits(source.kustomize, environment)
        return build(tree, path, edits=edits, options=Options.read(job.build_options))
    if kind == "Directory":
        return directory.render(tree, path, source.directory or DirectorySource(), environment)
    if not job.helm:
        raise SourceError(
            "this is a chart, and there is no helm on this machine; install helm 3 (argosy doctor)"
        )
    with tempfile.TemporaryDirectory(prefix="chart-") as folder:
        release = helm.Release(
            program=job.helm,
            name=job.name,
            namespace=job.namespace,
            folder=Path(folder),
            trees=others,
            fetched={name: Path(where) for name, where in job.fetched.items()},
            kube_version=job.kube_version,
            api_versions=job.api_versions,
            seconds=job.seconds,
        )
        return helm.render(tree, path, source.helm or HelmSource(), environment, release)


def _edits(source: KustomizeSource | None, environment: Environment) -> Edits:
    if source is None:
        return Edits()
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
        environment=environment.values if source.common_annotations_envsubst else {},
    )


def _tree(place: Place) -> Tree:
    if not place.commit:
        return FolderTree(Path(place.path))
    return _committed(place.path, place.commit)


@lru_cache(maxsize=16)
def _committed(path: str, commit: str) -> Tree:
    """Kept for the next job: what was read of a commit stays true."""
    return GitTree(_reader(path), commit, missing=MissingPath, refused=SourceError)


@lru_cache(maxsize=16)
def _reader(path: str) -> Reader:
    return Reader(Path(path))


def _without(obj: Object, expressions: tuple[str, ...]) -> Object:
    """An expression that does not fit the object finds nothing."""
    import jq

    for expression in expressions:
        try:
            found = jq.compile(f"del({expression})").input_value(obj).first()
        except ValueError as error:
            if "compile error" in str(error):
                raise SourceError(f"ignoreDifferences: {expression} is no jq expression: {error}") from error
            continue
        obj = found if isinstance(found, dict) else obj
    return obj
