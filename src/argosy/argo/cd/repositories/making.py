"""Renders one source anew: gives it to a worker, fetches what that turns out to need, and asks again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from argosy.argo.cd.rendering import Asked
from argosy.argo.cd.repositories.charts import Charts, Wanted
from argosy.argo.cd.repositories.credentials import shown
from argosy.argo.cd.repositories.fetching import FetchFailed
from argosy.argo.cd.repositories.git import GitRepositories
from argosy.argo.cd.repositories.parts import Located, Part, Shelf
from argosy.argo.cd.repositories.submodules import Submodules
from argosy.kit.git.failing import GitFailed
from argosy.manifests.charts import Dependency
from argosy.manifests.environment import variables
from argosy.manifests.jobs import Failed, Needs, Render, Rendered
from argosy.manifests.places import Place
from argosy.manifests.rendering import Chosen, Subject
from argosy.manifests.workers.pool import Pool, TookTooLong, WorkerDied

_ATTEMPTS = 12
"""Each brings what the one before said was missing."""
_SOON, _LATER = 30.0, 3600.0


class Troubled(Exception):
    """It cannot be rendered, in words for people. `retry_after`: seconds after which it may be otherwise although nothing was changed."""

    def __init__(self, message: str, *, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(slots=True)
class _Needed:
    """What is given to the worker besides the source itself."""

    place: Place
    others: dict[str, Place]
    fetched: dict[str, str]
    repaired: bool = False


class Maker:
    def __init__(self, git: GitRepositories, charts: Charts, submodules: Submodules, pool: Pool) -> None:
        self._git, self._charts, self._submodules, self._pool = git, charts, submodules, pool
        self._shelf = Shelf()
        self._notorious: set[str] = set()
        self.renders = 0

    async def part(
        self, at: Located, others: dict[str, Place], asked: Asked, chosen: Chosen, *, seconds: float
    ) -> Part:
        """Raises `Troubled`."""
        self.renders += 1
        needed = _Needed(at.place, dict(others), {})
        for _ in range(_ATTEMPTS):
            answer = await self._answer(at, needed, asked, chosen, seconds)
            match answer:
                case Rendered():
                    part = await self._shelf.part(answer, at.place, others, asked)
                    part.submodules = needed.place.submodules
                    return part
                case Needs():
                    await self._fetch(answer, at, needed, asked)
                case Failed():
                    if not answer.is_damaged or needed.repaired:
                        raise Troubled(answer.message)
                    needed.repaired = True
                    await self._repair(at, asked)
                case _:
                    raise Troubled("the worker answered something else")
        raise Troubled(f"it needs more than {_ATTEMPTS} rounds of fetching")

    async def _answer(
        self, at: Located, needed: _Needed, asked: Asked, chosen: Chosen, seconds: float
    ) -> object:
        """Who took too long before does not hold up the others again."""
        whose = asked.application
        try:
            job = _job(at, needed, asked, chosen)
            answer = await self._pool.run(job, seconds=seconds, notorious=whose in self._notorious)
        except TookTooLong as error:
            self._notorious.add(whose)
            raise Troubled(f"{error}; it is tried again after a change", retry_after=_LATER) from None
        except WorkerDied as error:
            raise Troubled(str(error), retry_after=_LATER) from None
        self._notorious.discard(whose)
        return answer

    async def _fetch(self, answer: Needs, at: Located, needed: _Needed, asked: Asked) -> None:
        try:
            if answer.submodule:
                await self._add_submodule(answer.submodule, answer.of, at, needed, asked)
            needed.fetched |= await self._dependencies(answer.dependencies, asked)
        except GitFailed as error:
            raise Troubled(
                f"{error.message}; {error.cure}" if error.cure else error.message, retry_after=_SOON
            ) from None

    async def _add_submodule(
        self, chain: Sequence[str], of: str, at: Located, needed: _Needed, asked: Asked
    ) -> None:
        if of:
            url = next(one.repo_url for one in asked.sources if one.ref == of)
            needed.others[of] = await self._submodules.added(needed.others[of], url, asked.project, chain)
        else:
            url = at.source.repo_url
            needed.place = await self._submodules.added(needed.place, url, asked.project, chain)

    async def _dependencies(self, missing: Sequence[Dependency], asked: Asked) -> dict[str, str]:
        found: dict[str, str] = {}
        for one in missing:
            what = f"the chart needs {one.name} {one.version}".strip()
            if not one.repository:
                raise Troubled(f"{what}, and says of no repository that has it")
            try:
                url = self._charts.resolved(one.repository)
                if not asked.permits(url):
                    raise Troubled(
                        f"helm repos {shown(url)} are not permitted in project '{asked.project}': {what} from there"
                    )
                wanted = Wanted(url, asked.project, one.name, one.version)
                found[one.key] = str(await self._charts.archive(wanted))
            except FetchFailed as error:
                raise Troubled(f"{what}: {error}", retry_after=_SOON) from None
        return found

    async def _repair(self, at: Located, asked: Asked) -> None:
        try:
            await self._git.repair(at.source.repo_url, asked.project)
        except GitFailed as error:
            raise Troubled(error.message, retry_after=_SOON) from None


def _job(at: Located, needed: _Needed, asked: Asked, chosen: Chosen) -> Render:
    source = at.source
    environment = variables(
        application=asked.application,
        namespace=asked.namespace,
        project=asked.project,
        revision=at.revision,
        url=source.repo_url,
        path=source.path,
        target_revision=source.target_revision,
    )
    return Render(
        place=needed.place,
        source=source if not source.chart else msgspec.structs.replace(source, path=""),
        subject=Subject(
            application=asked.application,
            name=asked.name,
            namespace=asked.namespace,
            environment=environment,
            kube_version=asked.kube_version,
            api_versions=list(asked.api_versions),
        ),
        chosen=chosen,
        others=needed.others,
        fetched=needed.fetched,
    )
