"""Turns an application's sources into objects, and remembers what it made of what.

A rendering is found again by what it was made from: the same commit, or another one in which everything that was read is the same. Only what
really changed is rendered anew, in a worker, and what cannot be rendered is not tried again until something changes.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakValueDictionary

from argosy.argo.cd.rendering import Asked, RenderError, Rendering
from argosy.argo.cd.repositories.charts import Charts, Wanted
from argosy.argo.cd.repositories.checking import Checking
from argosy.argo.cd.repositories.credentials import shown
from argosy.argo.cd.repositories.fetching import FetchFailed
from argosy.argo.cd.repositories.git import GitRepositories
from argosy.argo.cd.repositories.kustomize import KustomizeSettings
from argosy.argo.cd.repositories.making import Maker, Troubled
from argosy.argo.cd.repositories.parts import Located, Manifests, Part, Remembered, common_key, key_of
from argosy.contracts.argo.source import Source
from argosy.kit.git.failing import GitFailed
from argosy.manifests.places import Place
from argosy.manifests.rendering import Chosen
from argosy.manifests.tree import Inputs
from argosy.manifests.workers.pool import Pool

_SECONDS = 90.0
_GRACE = 5.0
"""Seconds that a worker has for stopping what it started, and for saying so."""
_REMEMBERED = 20_000
_SPARE = 4
"""Renderings of an application that are kept beside the newest: somebody may look at what was before."""
_Whole = tuple[tuple[Manifests, ...], tuple[str, ...], Rendering]


class SourceRenderer:
    """`helm_program`: empty where there is none. `renders` counts, for those who want to know whether little was done."""

    def __init__(
        self,
        git: GitRepositories,
        charts: Charts,
        pool: Pool,
        maker: Maker,
        *,
        helm_program: str = "",
        seconds: float = _SECONDS,
    ) -> None:
        self._git, self._charts, self._maker = git, charts, maker
        self._checking = Checking(pool, seconds=seconds)
        self._helm, self._seconds = helm_program, seconds
        self.kustomize = KustomizeSettings()
        self._parts: Remembered[Remembered[Part]] = Remembered(_REMEMBERED)
        self._whole: Remembered[_Whole] = Remembered(_REMEMBERED)
        self._common: WeakValueDictionary[str, Part] = WeakValueDictionary()
        self._making: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def renders(self) -> int:
        return self._maker.renders

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

    def forget(self, application: str) -> None:
        """It is gone."""
        self._parts.pop(application, None)
        self._whole.pop(application, None)

    def _together(self, asked: Asked, found: Sequence[Located], parts: Sequence[Part]) -> Rendering:
        """The same object as before while it is made of the same parts."""
        revisions = tuple(one.revision for one in found)
        made_of = tuple(part.manifests for part in parts)
        before = self._whole.get(asked.application)
        if before is not None and before[0] == made_of and before[1] == revisions:
            return before[2]
        types = iter(part.type for part in parts)
        rendering = Rendering(
            revisions=revisions,
            types=tuple(next(types) if _has_manifests(one.source) else "Directory" for one in found),
            objects=made_of[0].objects
            if len(parts) == 1
            else [obj for one in made_of for obj in one.objects],
            digest=hashlib.sha256("".join(one.digest for one in made_of).encode()).hexdigest(),
        )
        self._whole[asked.application] = (made_of, revisions, rendering)
        return rendering

    async def _locate(self, source: Source, revision: str, asked: Asked) -> Located:
        revision = revision or source.target_revision
        try:
            if source.chart or source.repo_url.startswith("oci://"):
                passing = source.helm is not None and source.helm.pass_credentials
                wanted = Wanted(source.repo_url, asked.project, source.chart, revision, passing)
                folder, version = await self._charts.chart(wanted, fresh=asked.resolve)
                return Located(source, Place(str(folder)), version)
            path, commit = await self._git.commit(
                source.repo_url, asked.project, revision, tag_prefix=source.tag_prefix, fresh=asked.resolve
            )
        except GitFailed as error:
            raise RenderError(f"{error.message}; {error.cure}" if error.cure else error.message) from None
        except FetchFailed as error:
            raise RenderError(str(error)) from None
        return Located(source, Place(str(path), commit), commit)

    async def _part(self, at: Located, others: dict[str, Place], asked: Asked) -> Part:
        binary, options = self.kustomize.of(at.source)
        seconds = max(self._seconds - _GRACE, 1)
        chosen = Chosen(helm=self._helm, kustomize=binary, build_options=options, seconds=seconds)
        key = key_of(at.source, asked, chosen)
        mine = self._parts.setdefault(asked.application, Remembered(len(asked.sources) + _SPARE))
        if not asked.fresh and (known := await self._known(mine.get(key), at, others, asked)) is not None:
            mine[key] = known
            return known
        mine[key] = part = await self._shared(at, others, asked, chosen)
        return part

    async def _shared(self, at: Located, others: dict[str, Place], asked: Asked, chosen: Chosen) -> Part:
        """What another application has made of the same source at the same commit, if it is not about that application."""
        if asked.fresh:
            return await self._made(at, others, asked, chosen)
        common = common_key(at, others, chosen)
        known = self._common.get(common)
        if known is None:
            lock = self._making.setdefault(common, asyncio.Lock())
            async with lock:
                known = self._common.get(common)
                if known is None:
                    self._common[common] = part = await self._made(at, others, asked, chosen)
                    return part
        if known.error or not known.is_anybodys:
            return await self._made(at, others, asked, chosen)
        return replace(known, inputs=_inputs_of_another(known, at.source, asked))

    async def _known(
        self, known: Part | None, at: Located, others: dict[str, Place], asked: Asked
    ) -> Part | None:
        """And takes over the new commit, so that the next look is cheap again."""
        if known is None or not known.fits(asked):
            return None
        if not known.is_of(at, others):
            if not await self._still_true(known, at, others):
                return None
            known.place, known.others = at.place, dict(others)
        elif known.retry_at and asyncio.get_running_loop().time() >= known.retry_at:
            return None
        return known

    async def _still_true(self, known: Part, at: Located, others: dict[str, Place]) -> bool:
        if known.error or known.depends_on_revision or known.other_inputs.keys() != others.keys():
            return False
        asked = [(known.at(at.place), known.inputs)] if known.place != at.place else []
        asked += [
            (place, known.other_inputs[name])
            for name, place in others.items()
            if known.others.get(name) != place
        ]
        return all([await self._checking.holds(place, inputs) for place, inputs in asked])

    async def _made(self, at: Located, others: dict[str, Place], asked: Asked, chosen: Chosen) -> Part:
        try:
            return await self._maker.part(at, others, asked, chosen, seconds=self._seconds)
        except Troubled as error:
            where = f"{shown(at.source.repo_url)} {at.source.chart or at.source.path or '.'}"
            part = Part(at.place, dict(others), error=f"{where}: {error}")
            if error.retry_after:
                part.retry_at = asyncio.get_running_loop().time() + error.retry_after
            return part


def _inputs_of_another(known: Part, source: Source, asked: Asked) -> Inputs:
    """It was looked for a file of parameters of that application, and none was there; this one looks for its own."""
    folder = "".join(f"{part}/" for part in source.path.split("/") if part not in {"", "."})
    theirs = [
        path
        for path, digest in known.inputs.items()
        if not digest and path.startswith(f"{folder}.argocd-source-")
    ]
    kept = {path: digest for path, digest in known.inputs.items() if path not in theirs}
    return {**kept, f"{folder}.argocd-source-{asked.application}.yaml": ""}


def _has_manifests(source: Source) -> bool:
    """A source that is only there for its value files has none."""
    return bool(source.path or source.chart or source.repo_url.startswith("oci://")) or not source.ref
