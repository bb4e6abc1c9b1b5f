"""One AppProject as the engine asks it (`argosy.argo.cd.permissions.Permissions`)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from argosy.argo.cd.clusters.registry import Known
from argosy.argo.cd.projects import orphans, rules, windows
from argosy.argo.cd.projects.validating import problems, unknown, unsupported
from argosy.contracts.argo.application import Application
from argosy.contracts.argo.project import AppProject, ProjectSpec, SyncWindow
from argosy.kube.objects import Object, name_of

DEFAULT = "default"
_FIELDS = frozenset(field.encode_name for field in msgspec.structs.fields(ProjectSpec))


class BadProject(Exception):
    """Why an object is no project, in words for its writer."""


class Project:
    def __init__(self, name: str, project: AppProject, complaints: Sequence[str] = ()) -> None:
        self.name, self.spec = name, project.spec
        self.complaints = [*complaints, *problems(project, name), *unsupported(project)]

    @classmethod
    def of(cls, obj: Object) -> Project:
        """Raises `BadProject`."""
        try:
            project = msgspec.convert(obj, AppProject, strict=False)
        except msgspec.ValidationError as error:
            raise BadProject(f"project {name_of(obj)!r}: {error}") from error
        return cls(name_of(obj), project, unknown(obj, _FIELDS))

    def application_permitted(self, namespace: str, control_namespace: str) -> bool:
        """Whether Applications of that namespace may name this project."""
        return rules.application_namespace_permitted(self.spec, namespace, control_namespace)

    def source_permitted(self, url: str) -> bool:
        return rules.source_permitted(self.spec, url)

    def destination_permitted(self, cluster: Known, namespace: str) -> bool:
        if self.spec.permit_only_project_scoped_clusters and cluster.project != self.name:
            return False
        return rules.destination_permitted(self.spec, cluster.server, cluster.name, namespace)

    def kind_permitted(self, group: str, kind: str, name: str, *, namespaced: bool) -> bool:
        return rules.kind_permitted(self.spec, group, kind, name, namespaced=namespaced)

    def sync_permitted(
        self, app: Application, cluster: Known, *, manual: bool, now: datetime, started: datetime | None
    ) -> str:
        try:
            may = windows.permitted(self._windows(app), manual=manual, now=now, started=started)
        except windows.BadWindow as error:
            return f"{windows.BLOCKED}: invalid sync windows: {error}"
        return "" if may else windows.BLOCKED

    def next_window(self, app: Application, cluster: Known, *, now: datetime) -> datetime | None:
        try:
            return windows.next_change(self._windows(app), manual=False, now=now)
        except windows.BadWindow:
            return None

    def _windows(self, app: Application) -> list[SyncWindow]:
        return windows.matching(
            self.spec.sync_windows, str(app.metadata.get("name", "")), app.spec.destination
        )

    def orphans_watched(self) -> bool:
        return self.spec.orphaned_resources is not None

    def is_orphan(self, group: str, kind: str, namespace: str, name: str) -> bool:
        return orphans.is_orphan(self.spec, group, kind, namespace, name)

    def warned_of_orphans(self, keys: Sequence[tuple[str, str, str]]) -> list[str]:
        """What to say of them; `keys` are group, kind and name of those that `is_orphan` counts."""
        watched = self.spec.orphaned_resources
        return (
            [f"Application has {len(keys)} orphaned resources"]
            if keys and watched is not None and watched.warn
            else []
        )


def default_project() -> Project:
    """What Argo CD makes when nobody has: everything is permitted."""
    spec = {
        "sourceRepos": ["*"],
        "destinations": [{"server": "*", "namespace": "*"}],
        "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
    }
    return Project.of({"metadata": {"name": DEFAULT}, "spec": spec})
