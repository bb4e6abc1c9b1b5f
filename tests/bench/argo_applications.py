"""Applications for benchmarks: DESIGN's fixture of ten objects each, all in one repository, and the moments at which they are where they should be.

The same for the embedded engine and the real Argo CD; `bench_argo_cd` measures with it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from pathlib import Path

from argosy.kube.client import Client
from argosy.kube.objects import Object, annotations_of, name_of
from argosy.kube.types import Kind
from tests.git_repository import Work

APPLICATION = Kind("argoproj.io", "v1alpha1", "Application")
_CONTROL, _NAMESPACE = "argocd", "bench"
_REFRESH = "argocd.argoproj.io/refresh"
_AT_ONCE, _PATIENCE = 16, 600


class Repository:
    """A folder for each application, in a repository that is read as files."""

    def __init__(self, folder: Path, names: Iterable[str]) -> None:
        self._work = Work(folder)
        self._work.write({f"{name}/all.yaml": _manifests(name, "first") for name in names})
        self.revision = self._work.commit()
        self._work.git("repack", "-adq")
        self._work.git("update-server-info")

    def change(self, name: str, word: str) -> str:
        self.revision = self._work.commit({f"{name}/all.yaml": _manifests(name, word)})
        self._work.git("update-server-info")
        return self.revision


class Applications:
    def __init__(self, client: Client, url: str, names: list[str]) -> None:
        self._client, self._url, self._names = client, url, names

    async def begin(self) -> None:
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _NAMESPACE}}
        await self._client.apply(namespace, force=True)

    async def cold(self) -> float:
        """Seconds from the first creation until the last is Synced."""
        return await self._until(lambda: _each(self._create, self._names), _is_synced)

    async def warm(self) -> float:
        """Seconds from asking all of them to be refreshed until all of them were."""
        began = time.time()
        return await self._until(self.refresh, lambda app: _is_refreshed(app, int(began)))

    async def changed(self, name: str, revision: str, push: Callable[[], Awaitable[None]]) -> float:
        """Seconds from the push until it is Synced with what was pushed."""
        return await self._until(push, lambda app: _is_synced(app) and _revision(app) == revision, [name])

    async def refresh(self) -> None:
        """As a webhook does it: every application of the repository."""
        await _each(self._ask, self._names)

    async def _create(self, name: str) -> None:
        source = {"repoURL": self._url, "path": name, "targetRevision": "main"}
        spec = {
            "project": "default",
            "source": source,
            "destination": {"server": "https://kubernetes.default.svc", "namespace": _NAMESPACE},
            "syncPolicy": {"automated": {}},
        }
        metadata = {"name": name, "namespace": _CONTROL}
        await self._client.create(
            {
                "apiVersion": APPLICATION.api_version,
                "kind": APPLICATION.kind,
                "metadata": metadata,
                "spec": spec,
            }
        )

    async def _ask(self, name: str) -> None:
        change = {"metadata": {"annotations": {_REFRESH: "normal"}}}
        await self._client.patch(APPLICATION, name, change, namespace=_CONTROL)

    async def _until(
        self,
        act: Callable[[], Awaitable[None]],
        holds: Callable[[Object], bool],
        names: list[str] | None = None,
    ) -> float:
        waiting = set(self._names if names is None else names)
        listing = await self._client.list(APPLICATION, _CONTROL, limit=1)
        began = time.perf_counter()
        acting = asyncio.ensure_future(act())
        watched = self._client.watch(APPLICATION, _CONTROL, revision=listing.revision)
        async with asyncio.timeout(_PATIENCE), aclosing(watched) as events:
            async for event in events:
                if event.type != "BOOKMARK" and holds(event.object):
                    waiting.discard(name_of(event.object))
                if not waiting and acting.done():
                    break
        took = time.perf_counter() - began
        await acting
        return took


async def _each(do: Callable[[str], Awaitable[None]], names: Iterable[str]) -> None:
    todo = iter(names)

    async def some() -> None:
        for name in todo:
            await do(name)

    await asyncio.gather(*(some() for _ in range(_AT_ONCE)))


def _status(app: Object) -> Object:
    return app.get("status") or {}


def _is_synced(app: Object) -> bool:
    return bool((_status(app).get("sync") or {}).get("status") == "Synced")


def _revision(app: Object) -> str:
    return str((_status(app).get("sync") or {}).get("revision", ""))


def _is_refreshed(app: Object, since: int) -> bool:
    compared = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(since))
    return _REFRESH not in annotations_of(app) and str(_status(app).get("reconciledAt", "")) >= compared


def _manifests(name: str, word: str) -> str:
    """1 Deployment, 1 Service, 8 ConfigMaps."""
    configs = "".join(
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}-{number}}}\ndata: {{word: {word}, text: {'x' * 200}}}\n"
        for number in range(8)
    )
    labels = f"{{app: {name}}}"
    return f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  selector: {{matchLabels: {labels}}}
  template: {{metadata: {{labels: {labels}}}, spec: {{containers: [{{name: main, image: nginx}}]}}}}
---
apiVersion: v1
kind: Service
metadata: {{name: {name}}}
spec: {{selector: {labels}, ports: [{{port: 80}}]}}
{configs}"""
