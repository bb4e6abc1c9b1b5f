"""Looks at an ApplicationSet when it, one of its applications, a cluster or a repository changes.

Nothing is changed or deleted when the generators could not say what is wanted: then only the conditions tell. `fetching` generates,
`making` makes it so, `removing` takes it away.
"""

from __future__ import annotations

from argosy.argo.cd.application_sets import asking, turned
from argosy.argo.cd.application_sets.children import ChildFailed, Children
from argosy.argo.cd.application_sets.facts import Cluster, Wanted
from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.argo.cd.application_sets.fetching import Generation
from argosy.argo.cd.application_sets.making import AFTER_ERROR, Making
from argosy.argo.cd.application_sets.removing import Removing
from argosy.argo.cd.application_sets.repositories import Repository
from argosy.argo.cd.application_sets.settings import Settings
from argosy.argo.cd.application_sets.telling import Telling, read
from argosy.argo.cd.compare.comparing import Jq
from argosy.contracts.argo.application import GROUP, VERSION
from argosy.kube.client import Informer
from argosy.kube.objects import Object, controller_of, metadata, name_of, namespace_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.types import Kind

APPLICATION, APPLICATION_SET = Kind(GROUP, VERSION, "Application"), Kind(GROUP, VERSION, "ApplicationSet")


class ApplicationSets:
    """`clusters`: the Secrets of clusters; `projects`: the AppProjects, where they are to be checked. Whoever made them runs both."""

    def __init__(
        self,
        place: Workplace,
        repository: Repository,
        jq: Jq,
        *,
        clusters: Informer,
        projects: Informer | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._settings = settings or Settings()
        self._clusters, self._projects = clusters, projects
        self._sets, self._apps = place.copies.of(APPLICATION_SET), place.copies.of(APPLICATION)
        children, telling = Children(place, self._apps, jq, self._settings), Telling(place, self._settings)
        self._generation = Generation(repository, strict_globs=self._settings.strict_globs)
        self._making = Making(children, telling, self._settings)
        self._removing = Removing(place, children, self._settings)
        self._telling = telling
        self.loop = Loop(
            "applicationset", self._look, reads=(self._sets, self._apps), workers=4, longest_rest=2.0
        )
        self._sets.on_change(self._set_changed)
        self._apps.on_change(self._app_changed)
        clusters.on_change(self._cluster_changed)
        if projects is not None:
            projects.on_change(self._project_changed)

    def changed(self, url: str, revision: str = "") -> int:
        """A repository has something new: a push was announced, or a poll found it. Answers how many sets read it."""
        found = self._generation.readers(url, revision)
        for name in found:
            self.loop.add(name)
        return len(found)

    def watched(self) -> set[Wanted]:
        """What has to be polled where nobody announces pushes."""
        return self._generation.watched()

    def _set_changed(self, before: Object | None, after: Object | None) -> None:
        if after is None or before is None or turned.of_set(before, after):
            self.loop.add_object(after or before or {})

    def _app_changed(self, before: Object | None, after: Object | None) -> None:
        """A new one was made by us."""
        owner = controller_of(after or before or {})
        if owner is None or owner.get("kind") != APPLICATION_SET.kind or before is None:
            return
        if after is None or turned.of_application(before, after):
            self.loop.add((namespace_of(before), owner["name"]))

    def _cluster_changed(self, before: Object | None, after: Object | None) -> None:
        """A destination may be there now, too."""
        for one in self._sets:
            if asking.reads_clusters(one) or _waits_for(one, "ApplicationValidationError"):
                self.loop.add_object(one)

    def _project_changed(self, before: Object | None, after: Object | None) -> None:
        for one in self._sets:
            if before is None and _waits_for(one, "ApplicationValidationError"):
                self.loop.add_object(one)

    async def _look(self, name: Name) -> float | None:
        found = self._sets.get(name[1], name[0])
        if found is None or not self._is_ours(name[0]):
            self._generation.forget(name)
            return None
        await self._clusters.wait_synced()
        if "deletionTimestamp" in metadata(found):
            return await self._removing.remove(found)
        try:
            return await self._make(found)
        except GenerationFailed as error:
            await self._telling.failure(found, error)
            return AFTER_ERROR
        except ChildFailed as error:
            if error.cause is not None:
                raise error.cause from error  # again, after a pause that grows
            return AFTER_ERROR

    async def _make(self, found: Object) -> float | None:
        spec = read(found)
        found = await self._removing.prepare(found, spec)
        clusters = [Cluster.of(secret) for secret in self._clusters]
        generated = await self._generation.applications(found, spec, clusters)
        projects = None if self._projects is None else {name_of(one) for one in self._projects}
        return await self._making.make(found, spec, generated, clusters, projects)

    def _is_ours(self, namespace: str) -> bool:
        return self._settings.namespaces is None or namespace in self._settings.namespaces


def _waits_for(application_set: Object, reason: str) -> bool:
    conditions = (application_set.get("status") or {}).get("conditions") or ()
    return any(one.get("reason") == reason for one in conditions)
