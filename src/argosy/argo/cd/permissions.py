"""What the engine asks of a project. `projects` answers it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from argosy.argo.cd.clusters.registry import Known
from argosy.contracts.argo.application import Application


class Permissions(Protocol):
    name: str

    def source_permitted(self, url: str) -> bool: ...
    def destination_permitted(self, cluster: Known, namespace: str) -> bool: ...
    def kind_permitted(self, group: str, kind: str, name: str, *, namespaced: bool) -> bool: ...
    def sync_permitted(
        self, app: Application, cluster: Known, *, manual: bool, now: datetime, started: datetime | None
    ) -> str:
        """Why not, by the sync windows; empty: it is."""

    def next_window(self, app: Application, cluster: Known, *, now: datetime) -> datetime | None:
        """When that may change."""

    def orphans_watched(self) -> bool: ...
    def warned_of_orphans(self, keys: Sequence[tuple[str, str, str]]) -> list[str]: ...
