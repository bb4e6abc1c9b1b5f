"""The projects that there are, kept by a watch; and why an application may not have the one it names."""

from __future__ import annotations

from collections.abc import Callable

from argosy.argo.cd.projects.project import BadProject, Project
from argosy.kit.log import get_logger
from argosy.kube.client import Client, Informer
from argosy.kube.objects import Object, name_of
from argosy.kube.types import Kind

log = get_logger(__name__)
PROJECT = Kind("argoproj.io", "v1alpha1", "AppProject")


class Projects:
    """`on_change` is told the name of a project that changed."""

    def __init__(self, client: Client, namespace: str, on_change: Callable[[str], None]) -> None:
        self._namespace, self._on_change = namespace, on_change
        self._known: dict[str, Project | str] = {}
        self._informer = Informer(client, PROJECT, namespace=namespace, on_change=self._changed)

    async def run(self) -> None:
        await self._informer.run()

    async def wait_synced(self) -> None:
        await self._informer.wait_synced()

    def find(self, name: str, *, application: str, namespace: str) -> Project | str:
        """Or why this application cannot have it."""
        found = self._known.get(name)
        if found is None:
            return f"Application referencing project {name} which does not exist"
        if isinstance(found, str):
            return found
        if not found.application_permitted(namespace, self._namespace):
            return (
                f"application '{application}' in namespace '{namespace}' is not allowed to use project {name}"
            )
        return found

    def _changed(self, before: Object | None, after: Object | None) -> None:
        name = name_of(after if after is not None else before or {})
        if after is None:
            self._known.pop(name, None)
        else:
            try:
                self._known[name] = Project.of(after)
            except BadProject as error:
                log.warning("project.unreadable", project=name, error=str(error))
                self._known[name] = f"the project {name} cannot be read: {error}"
        self._on_change(name)
