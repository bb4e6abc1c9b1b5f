"""The engine of one cluster: follows its Applications, projects, cluster Secrets and settings, and works until it is cancelled.

It is put together here, and speaks only the Kubernetes API; who renders, and who runs people's scripts safely, is given to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from argosy.argo.cd import settings as reading
from argosy.argo.cd.application_sets.controller import ApplicationSets
from argosy.argo.cd.application_sets.repositories import Repository
from argosy.argo.cd.applications.comparison import Comparing
from argosy.argo.cd.applications.controller import Applications
from argosy.argo.cd.applications.controller import Projects as FindsProjects
from argosy.argo.cd.applications.deleting import Deleting
from argosy.argo.cd.applications.operating import Operating
from argosy.argo.cd.applications.reading import APPLICATION
from argosy.argo.cd.applications.refreshing import Level
from argosy.argo.cd.applications.reporting import HealthOf
from argosy.argo.cd.applications.writing import Writer
from argosy.argo.cd.clusters.registry import SECRETS, Clusters
from argosy.argo.cd.compare.comparing import Jq
from argosy.argo.cd.compare.tracking import Tracking
from argosy.argo.cd.projects.following import Projects
from argosy.argo.cd.rendering import Renderer
from argosy.argo.cd.settings import Settings
from argosy.domain.health import Health, health_of
from argosy.kit.log import get_logger
from argosy.kube.client import Client, Informer
from argosy.kube.objects import Object, name_of
from argosy.kube.reconcile import Workplace
from argosy.kube.reconcile.copies import Copies
from argosy.kube.reconcile.events import Events
from argosy.kube.types import Kind

log = get_logger(__name__)
NAMESPACE = "argocd"
_SECRET, _CONFIG = Kind("", "v1", "Secret"), Kind("", "v1", "ConfigMap")
_SETTINGS = "argocd-cm"


class Engine:
    """`namespace` is where the settings, the projects and the Secrets are; Applications may be anywhere a project lets them. `trees` has the
    repositories that ApplicationSets read; without it nobody looks after them."""

    def __init__(
        self,
        client: Client,
        *,
        renderer: Renderer,
        jq: Jq,
        projects: FindsProjects | None = None,
        judge: HealthOf | None = None,
        namespace: str = NAMESPACE,
        trees: Repository | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.client, self.namespace = client, namespace
        self.settings = Settings()
        self._stale = asyncio.Event()
        self.events = Events(client, "argocd-application-controller")
        self._copies = Copies(client)
        self._copy = self._copies.of(APPLICATION)
        self._secrets = Informer(client, _SECRET, namespace=namespace, labels=SECRETS)
        self._config = Informer(client, _CONFIG, namespace=namespace, fields=f"metadata.name={_SETTINGS}")
        judge = judge if judge is not None else self._health_of
        self.clusters = Clusters(client, self._tracking, self._live_changed)
        comparing = Comparing(renderer, self.clusters, settings=lambda: self.settings, health_of=judge, jq=jq)
        self._projects = Projects(client, namespace, lambda _: self._stale.set())
        self.writer = writer = Writer(client, self._copy.wrote)
        operating = Operating(comparing, writer, self.events, tracking=self._tracking, now=now)
        self.applications = Applications(
            self._copy,
            control_namespace=namespace,
            clusters=self.clusters,
            projects=projects if projects is not None else self._projects,
            comparing=comparing,
            operating=operating,
            deleting=Deleting(comparing, writer, self._tracking, judge),
            writer=writer,
            events=self.events,
            settings=lambda: self.settings,
            now=now,
        )

        self.sets: ApplicationSets | None = None
        if trees is not None:
            place = Workplace(client, self._copies, self.events)
            self.sets = ApplicationSets(place, trees, jq, clusters=self._secrets)

    def pushed(self, url: str) -> None:
        """To a repository: whatever is made of it is looked at."""
        self.applications.pushed(url)
        if self.sets is not None:
            self.sets.changed(url)

    async def run(self) -> None:
        """Settings and clusters first: an application that is judged without them would be judged wrongly."""
        self._config.on_change(self._configured)
        self._secrets.on_change(self.clusters.changed)
        async with asyncio.TaskGroup() as group:
            for copy in (self._config, self._secrets, self._projects):
                group.create_task(copy.run())
            await asyncio.gather(
                *(one.wait_synced() for one in (self._config, self._secrets, self._projects))
            )
            self._secrets.on_change(self._clusters_changed)
            group.create_task(self.events.run())
            group.create_task(self._copies.run())
            group.create_task(self.applications.loop.run())
            if self.sets is not None:
                group.create_task(self.sets.loop.run())
            group.create_task(self._renew())

    async def _renew(self) -> None:
        """Connections end when what they were made of has changed."""
        tracking = self.settings.tracking
        while True:
            await self._stale.wait()
            self._stale.clear()
            await self.clusters.forget(everything=self.settings.tracking != tracking)
            tracking = self.settings.tracking
            self.applications.refresh_all(Level.LATEST)

    def _health_of(self, obj: Object) -> Health | None:
        return health_of(obj, self.settings.scripts)

    def _tracking(self) -> Tracking:
        return self.settings.tracking

    def _live_changed(self, instance: str) -> None:
        self.applications.changed_live(instance)

    def _configured(self, before: Object | None, after: Object | None) -> None:
        if name_of(after or before or {}) != _SETTINGS:
            return
        self.settings = reading.read((after or {}).get("data") or {})
        for problem in self.settings.problems:
            log.warning("settings.problem", problem=problem)
        self._stale.set()

    def _clusters_changed(self, before: Object | None, after: Object | None) -> None:
        self._stale.set()
