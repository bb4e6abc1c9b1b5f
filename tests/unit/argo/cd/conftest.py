"""A cluster without controllers: what they would do, the tests do themselves, so that nothing happens by the way."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from argosy.argo.cd.applications.reading import APPLICATION
from argosy.kube.client import Client, from_kubeconfig
from argosy.kube.types import Kind
from tests.embedded_cluster import bare_cluster
from tests.unit.argo.cd.engine_room import CRDS, Anything, Git, Room

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with bare_cluster(tmp_path_factory.mktemp("cluster")) as path:
        yield path


@pytest.fixture
async def client(kubeconfig: Path) -> AsyncIterator[Client]:
    client = from_kubeconfig(kubeconfig)
    yield client
    await client.close()


@pytest.fixture
async def namespace(client: Client) -> str:
    """Of one test alone."""
    name = f"web{next(_numbers)}"
    await client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return name


@pytest.fixture(scope="module")
def defined(kubeconfig: Path) -> None:
    """The kinds of Argo are served."""

    async def define() -> None:
        client = from_kubeconfig(kubeconfig)
        try:
            await client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}})
            for path in sorted(CRDS.glob("*.json")):
                await client.apply(json.loads(path.read_text()), force=True)
            kind = Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
            async with asyncio.timeout(20):
                async for event in client.watch(kind, initial=True):
                    served = (event.object.get("status") or {}).get("conditions") or ()
                    if event.object.get("metadata", {}).get("name") == "applications.argoproj.io" and any(
                        one["type"] == "Established" and one["status"] == "True" for one in served
                    ):
                        return
        finally:
            await client.close()

    asyncio.run(define())


@pytest.fixture
async def room(client: Client, kubeconfig: Path, namespace: str, defined: None) -> AsyncIterator[Room]:
    room = Room(client, kubeconfig, Git(), Anything(), namespace)
    async with room.engine():
        yield room
    await client.delete_collection(APPLICATION, namespace)
