"""Generates with the repositories that it takes: again and again while the generators find that they need another one."""

from __future__ import annotations

import asyncio

from argosy.argo.cd.application_sets.facts import Cluster, Facts, Wanted
from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.argo.cd.application_sets.generating import Generated, generate
from argosy.argo.cd.application_sets.repositories import Repository, may_mean, same_place
from argosy.argo.cd.application_sets.turned import REFRESH
from argosy.contracts.argo.application_set import SetSpec
from argosy.kube.objects import Object, annotations_of
from argosy.kube.reconcile import Name
from argosy.kube.reconcile.queue import name_in
from argosy.manifests.tree import SourceError, Tree

_PASSES, _MOST = 6, 500


class Generation:
    """Remembers which repositories each set read, so that a push concerns only those."""

    def __init__(self, repository: Repository, *, strict_globs: bool) -> None:
        self._repository, self._strict_globs = repository, strict_globs
        self._used: dict[Name, frozenset[Wanted]] = {}
        self._one_thread = asyncio.Lock()

    def readers(self, url: str, revision: str) -> list[Name]:
        return [
            name
            for name, used in self._used.items()
            if any(same_place(one.url, url) and may_mean(one.revision, revision) for one in used)
        ]

    def watched(self) -> set[Wanted]:
        return {one for used in self._used.values() for one in used}

    def forget(self, name: Name) -> None:
        self._used.pop(name, None)

    async def applications(
        self, application_set: Object, spec: SetSpec, clusters: list[Cluster]
    ) -> list[Object]:
        """Raises `GenerationFailed`."""
        trees: dict[Wanted, Tree | SourceError] = {}
        for _ in range(_PASSES):
            found = await self._generated(application_set, spec, Facts(clusters, trees))
            self._used[name_in(application_set)] = found.used
            if len(found.used) > _MOST:
                raise GenerationFailed(f"the generators read more than {_MOST} repositories and revisions")
            if not found.wanted:
                if found.failure is not None:
                    raise found.failure
                return found.applications
            trees |= await self._fetched(found.wanted, fresh=REFRESH in annotations_of(application_set))
        raise GenerationFailed("the generators need one repository after the other, without an end")

    async def _generated(self, application_set: Object, spec: SetSpec, facts: Facts) -> Generated:
        """Beside the event loop, one at a time: many templates take a while, and trees read files."""
        async with self._one_thread:
            return await asyncio.to_thread(
                generate, application_set, spec, facts, strict_globs=self._strict_globs
            )

    async def _fetched(self, wanted: frozenset[Wanted], *, fresh: bool) -> dict[Wanted, Tree | SourceError]:
        places = sorted(wanted)
        found = await asyncio.gather(*(self._tree(one, fresh=fresh) for one in places))
        return dict(zip(places, found, strict=True))

    async def _tree(self, one: Wanted, *, fresh: bool) -> Tree | SourceError:
        try:
            return await self._repository.tree(one.url, one.revision, fresh=fresh)
        except SourceError as error:
            return error
