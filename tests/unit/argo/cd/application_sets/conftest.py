"""A cluster with the definitions of Argo CD, and a controller of ApplicationSets in it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from argosy.argo.cd.application_sets.controller import APPLICATION, APPLICATION_SET, ApplicationSets
from argosy.argo.cd.application_sets.settings import Settings
from argosy.kube.client import Client, Informer, from_kubeconfig
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.reconcile import Copies, Events, Workplace
from argosy.kube.reconcile.kinds import CRD, SECRET
from argosy.kube.types import Kind
from argosy.manifests.tree import SourceError, Tree
from tests.embedded_cluster import bare_cluster
from tests.unit.argo.cd.application_sets.worlds import Files
from tools.argo_crds import FOLDER


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with bare_cluster(tmp_path_factory.mktemp("cluster")) as path:
        asyncio.run(_with_definitions(path))
        yield path


async def _with_definitions(kubeconfig: Path) -> None:
    client = from_kubeconfig(kubeconfig)
    try:
        for plural in ("applications", "applicationsets"):
            await client.create(json.loads((FOLDER / f"{plural}.json").read_text()))
            while not _is_served(await client.get(CRD, f"{plural}.argoproj.io")):
                pass
    finally:
        await client.close()


def _is_served(definition: Object) -> bool:
    conditions = (definition.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


class Repositories:
    """What is at each URL, whatever the revision; without an entry it cannot be had."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, str | None]] = {}
        self.asked: list[tuple[str, str, bool]] = []

    async def tree(self, url: str, revision: str, *, fresh: bool = False) -> Tree:
        self.asked.append((url, revision, fresh))
        if url not in self.files:
            raise SourceError(f"{url} cannot be reached")
        return Files(self.files[url])


async def without(obj: Object, expressions: tuple[str, ...]) -> Object:
    """As jq would, for `.spec.source.targetRevision` alone."""
    assert expressions == (".spec.source.targetRevision",)
    source = {key: value for key, value in obj["spec"]["source"].items() if key != "targetRevision"}
    return {**obj, "spec": {**obj["spec"], "source": source}}


class World:
    """One namespace of the cluster, with its controller."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client, self.namespace = client, namespace
        self.repositories = Repositories()
        self.controller: ApplicationSets | None = None

    @asynccontextmanager
    async def running(self, **settings: object) -> AsyncIterator[ApplicationSets]:
        """Leaving it ends the controller in the middle of whatever it does."""
        copies = Copies(self.client)
        events = Events(self.client, "applicationset-controller")
        clusters = Informer(
            self.client, SECRET, namespace=self.namespace, labels="argocd.argoproj.io/secret-type=cluster"
        )
        chosen = Settings(namespaces=frozenset([self.namespace]), **settings)  # type: ignore[arg-type]
        place = Workplace(self.client, copies, events)
        controller = ApplicationSets(place, self.repositories, without, clusters=clusters, settings=chosen)
        work = [copies.run(), events.run(), clusters.run(), controller.loop.run()]
        tasks = [asyncio.ensure_future(one) for one in work]
        self.controller = controller
        try:
            await copies.synced()
            yield controller
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for _ in range(
                3
            ):  # a connection that was cut short while it was made says goodbye to the server first
                await self.client.version()

    async def put(self, obj: Object) -> Object:
        obj = {**obj, "metadata": {**obj["metadata"], "namespace": self.namespace}}
        return await self.client.create(obj)

    async def set(self, name: str = "web") -> Object:
        return await self.client.get(APPLICATION_SET, name, self.namespace)

    async def change_set(self, change: Object, name: str = "web") -> Object:
        return await self.client.patch(APPLICATION_SET, name, change, namespace=self.namespace)

    async def app(self, name: str) -> Object:
        return await self.client.get(APPLICATION, name, self.namespace)

    async def apps(self) -> dict[str, Object]:
        found = await self.client.list(APPLICATION, self.namespace)
        return {one["metadata"]["name"]: one for one in found.items}

    async def change_app(self, name: str, change: Object) -> Object:
        return await self.client.patch(APPLICATION, name, change, namespace=self.namespace)

    async def until(self, kind: Kind, holds: object) -> dict[str, Object]:
        """Until it holds of all objects of the kind here, by name. Follows the cluster; no looking again and again."""
        assert callable(holds)
        async with asyncio.timeout(20):
            found: dict[str, Object] = {}
            known = await self.client.list(kind, self.namespace)
            found = {one["metadata"]["name"]: one for one in known.items}
            if holds(found):
                return found
            watched = self.client.watch(kind, self.namespace, revision=known.revision)
            async with aclosing(watched):
                async for event in watched:
                    name = event.object["metadata"].get("name", "")
                    if event.type == "DELETED":
                        found.pop(name, None)
                    elif event.type != "BOOKMARK":
                        found[name] = event.object
                    if holds(found):
                        return found
        raise AssertionError("the watch ended")

    async def until_apps(self, *names: str) -> dict[str, Object]:
        return await self.until(APPLICATION, lambda found: set(found) == set(names))

    async def until_condition(self, kind: str, status: str, *, says: str = "", name: str = "web") -> Object:
        def holds(found: dict[str, Object]) -> bool:
            told = (found.get(name, {}).get("status") or {}).get("conditions") or ()
            return any(
                one["type"] == kind and one["status"] == status and says in one["message"] for one in told
            )

        return (await self.until(APPLICATION_SET, holds))[name]

    async def gone(self, kind: Kind, name: str) -> bool:
        try:
            await self.client.get(kind, name, self.namespace)
        except ApiError as error:
            return error.code == 404
        return False


@pytest.fixture
async def world(client: Client, namespace: str) -> World:
    return World(client, namespace)
