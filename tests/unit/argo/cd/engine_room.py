"""An engine at a cluster whose controllers are the tests: what Git says is a dictionary, and people ask through the Kubernetes API."""

from __future__ import annotations

import asyncio
import copy
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from argosy.argo.cd.applications.reading import APPLICATION
from argosy.argo.cd.engine import Engine
from argosy.argo.cd.rendering import Asked, RenderError, Rendering
from argosy.domain.health import Health
from argosy.kube.client import Client, from_kubeconfig
from argosy.kube.objects import Object, labels_of

CRDS = Path("src/argosy/argo/crds")
_PATIENCE = 20.0


@dataclass
class Git:
    """What is in the repository, by revision; `main` is the newest."""

    revisions: dict[str, list[Object]] = field(default_factory=dict)
    newest: str = ""
    broken: str = ""
    renders: int = 0
    _known: dict[str, Rendering] = field(default_factory=dict)

    def push(self, *objects: Object) -> str:
        self.newest = hashlib.sha1(f"{len(self.revisions)}{objects!r}".encode()).hexdigest()
        self.revisions[self.newest] = [copy.deepcopy(one) for one in objects]
        return self.newest

    async def render(self, asked: Asked) -> Rendering:
        if self.broken:
            raise RenderError(self.broken)
        revision = asked.revisions[0]
        revision = self.newest if revision in {"", "main", "HEAD"} else revision
        if revision not in self._known or asked.fresh:
            self.renders += 1
            objects = self.revisions[revision]
            digest = hashlib.sha256(json.dumps(objects, sort_keys=True).encode()).hexdigest()
            self._known[revision] = Rendering((revision,), ("Directory",), objects, digest)
        return self._known[revision]


@dataclass
class Anything:
    """A project that permits all, unless a test says otherwise."""

    name: str = "default"
    closed: str = ""
    kinds: Callable[[str], bool] = lambda kind: True

    def find(self, name: str, *, application: str, namespace: str) -> Anything | str:
        if name != self.name:
            return f"Application referencing project {name} which does not exist"
        return self

    def source_permitted(self, url: str) -> bool:
        return "forbidden" not in url

    def destination_permitted(self, cluster: object, namespace: str) -> bool:
        return namespace != "forbidden"

    def kind_permitted(self, group: str, kind: str, name: str, *, namespaced: bool) -> bool:
        return self.kinds(kind)

    def sync_permitted(self, app: object, cluster: object, **_: object) -> str:
        return self.closed

    def next_window(self, app: object, cluster: object, *, now: datetime) -> datetime | None:
        return None

    def orphans_watched(self) -> bool:
        return False

    def warned_of_orphans(self, keys: object) -> list[str]:
        return []


def health_of(obj: Object) -> Health | None:
    """As a label of the object says it; Jobs run until one does."""
    said = labels_of(obj).get("health", "")
    if said:
        return Health(said, f"it is {said.lower()}")
    return Health("Progressing", "it runs") if obj["kind"] == "Job" else None


async def no_jq(obj: Object, expressions: tuple[str, ...]) -> Object:
    raise AssertionError(expressions)


@dataclass
class Room:
    client: Client
    kubeconfig: Path
    git: Git
    project: Anything
    namespace: str
    """Where the application's objects go, and where the application itself is."""

    async def application(self, name: str = "web", **spec: object) -> Object:
        """One that takes everything from Git's newest revision, by hand."""
        said = {
            "project": "default",
            "source": {"repoURL": "https://git.example/web", "path": ".", "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": self.namespace},
            **spec,
        }
        metadata = {"name": name, "namespace": self.namespace}
        return await self.client.create(
            {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata, "spec": said}
        )

    async def change(self, change: Object, name: str = "web") -> Object:
        return await self.client.patch(APPLICATION, name, change, namespace=self.namespace)

    async def sync(self, name: str = "web", **sync: object) -> None:
        await self.change({"operation": {"sync": {"prune": True, **sync}}}, name)

    async def refresh(self, name: str = "web") -> None:
        await self.change({"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}}, name)

    async def get(self, name: str = "web") -> Object:
        return await self.client.get(APPLICATION, name, self.namespace)

    async def until(self, holds: Callable[[Object], bool], name: str = "web") -> Object:
        """The application as soon as it is so."""
        seen: Object = {}
        try:
            async with asyncio.timeout(_PATIENCE):
                watched = self.client.watch(
                    APPLICATION, self.namespace, fields=f"metadata.name={name}", initial=True
                )
                async with aclosing(watched) as events:
                    async for event in events:
                        if event.type in {"ADDED", "MODIFIED"}:
                            seen = event.object
                            if holds(seen):
                                return seen
        except TimeoutError:
            raise AssertionError(f"it never was so; the last was {json.dumps(seen, indent=1)}") from None
        raise AssertionError("the watch ended")

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Engine]:
        client = from_kubeconfig(self.kubeconfig, manager="argocd-application-controller")
        engine = Engine(
            client,
            renderer=self.git,
            projects=self.project,
            judge=health_of,
            jq=no_jq,
            now=lambda: datetime.now(UTC),
        )
        running = asyncio.create_task(engine.run())
        try:
            yield engine
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await engine.clusters.close()
            await client.close()


def synced(app: Object) -> str:
    return str(((app.get("status") or {}).get("sync") or {}).get("status", ""))


def healthy(app: Object) -> str:
    return str(((app.get("status") or {}).get("health") or {}).get("status", ""))


def phase(app: Object) -> str:
    state = (app.get("status") or {}).get("operationState") or {}
    return "" if app.get("operation") else str(state.get("phase", ""))


def message(app: Object) -> str:
    return str(((app.get("status") or {}).get("operationState") or {}).get("message", ""))


def conditions(app: Object) -> dict[str, str]:
    return {one["type"]: one["message"] for one in (app.get("status") or {}).get("conditions") or ()}
