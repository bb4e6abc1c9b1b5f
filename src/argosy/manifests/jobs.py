"""What workers are asked to do, and what they answer: everything that is slow, or that runs what people wrote.

A job says where its files are and does all the rest by itself: no network, no state, no folder but its own. `workers.process` runs it, `rendering` does
the largest part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec

from argosy.contracts.argo.source import Source
from argosy.contracts.argo.status import SourceType
from argosy.kit.git.failing import Failure, GitFailed
from argosy.kube.objects import Object
from argosy.manifests.charts import Dependency, MissingDependencies
from argosy.manifests.indexes import Release, releases
from argosy.manifests.overlooking import without
from argosy.manifests.places import MissingSubmodule, Place, tree_of
from argosy.manifests.rendering import Chosen, Subject, render
from argosy.manifests.tree import Inputs, MissingPath, Now, SourceError, cause

_OBJECT = msgspec.json.Encoder()
_PIECE = 100_000


class Render(msgspec.Struct, frozen=True, tag_field="is", tag=True, kw_only=True):
    """`others` are the sources that value files may name. `fetched` has dependencies of charts by their key."""

    place: Place
    source: Source
    subject: Subject
    chosen: Chosen
    others: dict[str, Place] = {}
    fetched: dict[str, str] = {}


class Rendered(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    """`inputs`: what was read of the place, and of the others by their name. The objects are JSON lists, none so long that it takes long to read."""

    type: SourceType
    objects: list[bytes]
    inputs: Inputs
    others: dict[str, Inputs] = {}
    variables: list[str] = []
    """Those that were used."""
    looks_at_cluster: bool = False
    """A chart is in it, which may ask for the cluster's version and kinds."""
    is_anybodys: bool = False
    """Nothing of it depends on whose it is: another application with this source gets the same."""


class Needs(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    """What the engine has to fetch before this can be rendered. `submodule` is of the place, or of the other source `of`."""

    dependencies: list[Dependency] = []
    submodule: list[str] = []
    of: str = ""


class Unchanged(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    """Which of these sets of inputs are the same in that place."""

    place: Place
    inputs: list[Inputs]


class Same(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    same: list[bool]


class Look(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    """For a chart in a repository's index."""

    index: str
    chart: str


class Found(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    releases: list[Release]


class Jq(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    """The object less what the expressions find in it."""

    object: Object
    expressions: tuple[str, ...]


class Cleaned(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    object: Object
    problems: list[str] = []


class Failed(msgspec.Struct, frozen=True, tag_field="is", tag=True):
    """In words for whoever wrote the source. `is_missing`: its path is not there; `is_damaged`: the mirror is."""

    message: str
    is_missing: bool = False
    is_damaged: bool = False


Job: TypeAlias = Render | Unchanged | Look | Jq
Answer: TypeAlias = Rendered | Needs | Same | Found | Cleaned | Failed


def run(job: Job) -> Answer:
    try:
        match job:
            case Render():
                return _rendered(job)
            case Unchanged():
                now = Now(tree_of(job.place))
                return Same([now.has(inputs) for inputs in job.inputs])
            case Look():
                return Found(releases(Path(job.index), job.chart))
            case Jq():
                return Cleaned(*without(job.object, job.expressions))
    except SourceError as error:
        if (needed := cause(error, MissingDependencies)) is not None:
            return Needs(dependencies=needed.missing)
        return Failed(str(error), is_missing=isinstance(error, MissingPath))
    except GitFailed as error:
        lost = error.code in {Failure.DAMAGED, Failure.UNKNOWN_REVISION}
        return Failed(error.message, is_damaged=lost)


def _rendered(job: Render) -> Answer:
    others = {name: tree_of(place) for name, place in job.others.items()}
    try:
        made = render(tree_of(job.place), job.source, job.subject, job.chosen, others, job.fetched)
    except SourceError as error:
        if (missing := cause(error, MissingSubmodule)) is None:
            raise
        of = next((name for name, place in job.others.items() if place == missing.root), "")
        return Needs(submodule=missing.chain, of=of if missing.root != job.place else "")
    return Rendered(
        made.type,
        list(_pieces(made.objects)),
        made.inputs,
        made.others,
        sorted(made.variables),
        made.looks_at_cluster,
        made.is_anybodys,
    )


def _pieces(objects: list[Object]) -> Iterator[bytes]:
    found: list[bytes] = []
    size = 0
    for one in objects:
        found.append(_OBJECT.encode(one))
        size += len(found[-1])
        if size > _PIECE:
            yield b"[" + b",".join(found) + b"]"
            found, size = [], 0
    yield b"[" + b",".join(found) + b"]"
