"""Turns an application's sources into objects, and remembers what it made of what.

A rendering is found again by what it was made from: the same commit, or another one in which everything that was read is the same. Only what
really changed is rendered anew, in a worker, and what cannot be rendered is not tried again until something changes.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from argosy.argo.cd.rendering import Asked, RenderError, Rendering
from argosy.argo.cd.repositories.charts import Charts
from argosy.argo.cd.repositories.fetching import FetchFailed
from argosy.argo.cd.repositories.git import GitRepositories
from argosy.contracts.argo.source import Source
from argosy.contracts.argo.status import SourceType
from argosy.kit.git.failing import GitFailed
from argosy.kube.objects import Object
from argosy.manifests import helm
from argosy.manifests.environment import variables
from argosy.manifests.helm import Dependency
from argosy.manifests.jobs import Failed, Needs, Place, Render, Rendered, Same, Unchanged
from argosy.manifests.tree import Inputs
from argosy.manifests.workers import Pool, TookTooLong, WorkerDied

_Held = TypeVar("_Held")
_OBJECTS = msgspec.json.Decoder(list[Object])
_SECONDS = 90.0
_REMEMBERED = 20_000
_ATTEMPTS = 6
"""Each brings the charts that the one before said were missing."""


@dataclass(frozen=True, slots=True)
class _At:
    """A source and where it is now."""

    source: Source
    place: Place
    revision: str


@dataclass(slots=True)
class _Part:
    """What was made of one source. `error` instead of objects: it cannot be."""

    at: Place
    others: dict[str, Place]
    inputs: Inputs = field(default_factory=dict)
    other_inputs: dict[str, Inputs] = field(default_factory=dict)
    type: SourceType = "Directory"
    objects: list[Object] = field(default_factory=list)
    digest: str = ""
    depends_on_revision: bool = False
    error: str = ""


class SourceRenderer:
    """`helm_program`: empty where there is none. `renders` counts, for those who want to know whether little was done."""

    def __init__(
        self,
        git: GitRepositories,
        charts: Charts,
        pool: Pool,
        *,
        helm_program: str = "",
        build_options: str = "",
        seconds: float = _SECONDS,
    ) -> None:
        self._git, self._charts, self._pool = git, charts, pool
        self._helm, self.build_options, self._seconds = helm_program, build_options, seconds
        self._parts: OrderedDict[str, _Part] = OrderedDict()
        self._whole: OrderedDict[str, tuple[tuple[int, ...], tuple[str, ...], Rendering]] = OrderedDict()
        self.renders = 0

    async def render(self, asked: Asked) -> Rendering:
        found = [
            await self._locate(source, revision, asked)
            for source, revision in zip(asked.sources, asked.revisions, strict=True)
        ]
        others = {one.source.ref: one.place for one in found if one.source.ref}
        parts = [await self._part(one, others, asked) for one in found if _has_manifests(one.source)]
        if wrong := next((part.error for part in parts if part.error), ""):
            raise RenderError(wrong)
        return self._together(asked, found, parts)

    def _together(self, asked: Asked, found: Sequence[_At], parts: Sequence[_Part]) -> Rendering:
        """The same object as before while it is made of the same parts."""
        revisions = tuple(one.revision for one in found)
        made_of = tuple(id(part.objects) for part in parts)
        before = self._whole.get(asked.application)
        if before is not None and before[0] == made_of and before[1] == revisions:
            return before[2]
        types = iter(part.type for part in parts)
        rendering = Rendering(
            revisions=revisions,
            types=tuple(next(types) if _has_manifests(one.source) else "Directory" for one in found),
            objects=parts[0].objects if len(parts) == 1 else [obj for part in parts for obj in part.objects],
            digest=hashlib.sha256("".join(part.digest for part in parts).encode()).hexdigest(),
        )
        self._whole[asked.application] = (made_of, revisions, rendering)
        _trim(self._whole)
        return rendering

    async def _locate(self, source: Source, revision: str, asked: Asked) -> _At:
        revision = revision or source.target_revision
        try:
            if source.chart or source.repo_url.startswith("oci://"):
                folder, version = await self._charts.chart(
                    source.repo_url, asked.project, source.chart, revision, fresh=asked.resolve
                )
                return _At(source, Place(str(folder)), version)
            path, commit = await self._git.commit(
                source.repo_url, asked.project, revision, tag_prefix=source.tag_prefix, fresh=asked.resolve
            )
        except GitFailed as error:
            raise RenderError(f"{error.message}; {error.cure}" if error.cure else error.message) from None
        except FetchFailed as error:
            raise RenderError(str(error)) from None
        return _At(source, Place(str(path), commit), commit)

    async def _part(self, at: _At, others: dict[str, Place], asked: Asked) -> _Part:
        key = _key(at.source, asked, self.build_options)
        known = self._parts.get(key)
        if known is not None and not asked.fresh and await self._still_true(known, at, others):
            self._parts.move_to_end(key)
            return known
        self.renders += 1
        part = await self._rendered(at, others, asked)
        self._parts[key] = part
        _trim(self._parts)
        return part

    async def _still_true(self, known: _Part, at: _At, others: dict[str, Place]) -> bool:
        """And takes over the new commit when it is, so that the next look is cheap again."""
        if known.at == at.place and known.others == others:
            return True
        if known.error or known.depends_on_revision or known.other_inputs.keys() != others.keys():
            return False
        asked = [(at.place, known.inputs)] if known.at != at.place else []
        asked += [
            (place, known.other_inputs[name])
            for name, place in others.items()
            if known.others.get(name) != place
        ]
        for place, inputs in asked:
            answer = await self._pool.run(Unchanged(place, [inputs]), seconds=self._seconds)
            if not isinstance(answer, Same) or not answer.same[0]:
                return False
        known.at, known.others = at.place, dict(others)
        return True

    async def _rendered(self, at: _At, others: dict[str, Place], asked: Asked) -> _Part:
        part = _Part(at.place, dict(others))
        fetched: dict[str, str] = {}
        for _ in range(_ATTEMPTS):
            try:
                answer = await self._pool.run(self._job(at, others, asked, fetched), seconds=self._seconds)
            except (TookTooLong, WorkerDied) as error:
                raise RenderError(f"{_where(at.source)}: {error}") from None
            match answer:
                case Needs():
                    fetched |= await self._dependencies(answer.dependencies, asked)
                case Rendered():
                    return await _filled(part, answer)
                case Failed():
                    part.error = f"{_where(at.source)}: {answer.message}"
                    return part
                case _:
                    raise RenderError(f"{_where(at.source)}: the worker answered something else")
        part.error = f"{_where(at.source)}: the chart's dependencies need more than {_ATTEMPTS} rounds"
        return part

    async def _dependencies(self, missing: Sequence[Dependency], asked: Asked) -> dict[str, str]:
        found: dict[str, str] = {}
        for one in missing:
            if not one.repository:
                raise RenderError(
                    f"the chart needs {one.name} {one.version}, and says of no repository that has it"
                )
            if not asked.permits(one.repository):
                raise RenderError(
                    f"helm repos {one.repository} are not permitted in project '{asked.project}'; the chart needs "
                    f"{one.name} {one.version} from there"
                )
            try:
                archive = await self._charts.archive(one.repository, asked.project, one.name, one.version)
            except FetchFailed as error:
                raise RenderError(f"the chart needs {one.name} {one.version}: {error}") from None
            found[helm.key(one)] = str(archive)
        return found

    def _job(self, at: _At, others: dict[str, Place], asked: Asked, fetched: dict[str, str]) -> Render:
        source = at.source
        return Render(
            place=at.place,
            source=source if not source.chart else msgspec.structs.replace(source, path=""),
            application=asked.application,
            name=asked.name,
            namespace=asked.namespace,
            environment=variables(
                application=asked.application,
                namespace=asked.namespace,
                project=asked.project,
                revision=at.revision,
                url=source.repo_url,
                path=source.path,
                target_revision=source.target_revision,
            ),
            others=others,
            fetched=fetched,
            helm=self._helm,
            kube_version=asked.kube_version,
            api_versions=list(asked.api_versions),
            build_options=self.build_options,
            seconds=max(self._seconds - 5, 1),
        )


async def _filled(part: _Part, answer: Rendered) -> _Part:
    part.type, part.inputs, part.other_inputs = answer.type, answer.inputs, answer.others
    part.depends_on_revision = answer.depends_on_revision
    raw = answer.objects
    part.digest = hashlib.sha256(raw).hexdigest()
    part.objects = _OBJECTS.decode(raw) if len(raw) < 2**20 else await asyncio.to_thread(_OBJECTS.decode, raw)
    return part


def _key(source: Source, asked: Asked, build_options: str) -> str:
    """Everything a rendering depends on but its revision."""
    said = (
        msgspec.json.encode(source),
        asked.application,
        asked.name,
        asked.namespace,
        asked.project,
        asked.kube_version,
        tuple(asked.api_versions),
        build_options,
    )
    return hashlib.sha256(repr(said).encode()).hexdigest()


def _has_manifests(source: Source) -> bool:
    """A source that is only there for its value files has none."""
    return bool(source.path or source.chart or source.repo_url.startswith("oci://")) or not source.ref


def _where(source: Source) -> str:
    return f"{source.repo_url} {source.chart or source.path or '.'}".strip()


def _trim(known: OrderedDict[str, _Held]) -> None:
    while len(known) > _REMEMBERED:
        known.popitem(last=False)
