"""The real kube-controller-manager, unmodified, does its work against our API server: ours has no controllers here.

Needs `make oracle`. It is the most demanding client there is: typed, protobuf, a watch of everything, leader election,
and a garbage collector that trusts our discovery.
"""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from argosy.kube.client import Client, from_kubeconfig
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.types import Kind
from tests.embedded_cluster import bare_cluster
from tools import oracle_build

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]
DEPLOYMENT, REPLICA_SET = Kind("apps", "v1", "Deployment"), Kind("apps", "v1", "ReplicaSet")
POD, NAMESPACE = Kind("", "v1", "Pod"), Kind("", "v1", "Namespace")


@pytest.fixture(scope="module")
def managed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A kubeconfig of our API server and simulated nodes, with the real controllers at work."""
    if missing := oracle_build.missing():
        pytest.skip(f"{missing[0].name} is not built: make oracle")
    folder = tmp_path_factory.mktemp("managed")
    with bare_cluster(folder, nodes=True) as kubeconfig, (folder / "manager.log").open("wb") as log:
        command = [
            oracle_build.binary("kube-controller-manager"),
            f"--kubeconfig={kubeconfig}",
            f"--root-ca-file={folder / 'ca.pem'}",
            "--leader-elect=true",
            "--bind-address=127.0.0.1",
            "--secure-port=0",
        ]
        with subprocess.Popen(command, stdout=log, stderr=log, cwd=folder) as manager:
            yield kubeconfig
            manager.terminate()


@asynccontextmanager
async def connected(kubeconfig: Path) -> AsyncIterator[Client]:
    client = from_kubeconfig(kubeconfig)
    try:
        yield client
    finally:
        await client.close()


def deployment(name: str) -> Object:
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "web", "image": "nginx:1"}]},
            },
        },
    }


async def until(client: Client, kind: Kind, name: str, holds) -> None:
    """Follows one object until it is as wanted; `None` stands for gone."""
    async with asyncio.timeout(60):
        found = await client.find(kind, name, "default")
        if holds(found):
            return
        listing = await client.list(kind, "default", fields=f"metadata.name={name}")
        if not listing.items and holds(None):
            return
        watch = client.watch(kind, "default", revision=listing.revision, fields=f"metadata.name={name}")
        async for event in watch:
            if event.type != "BOOKMARK" and holds(None if event.type == "DELETED" else event.object):
                return


def rolled_out(found: Object | None) -> bool:
    status = (found or {}).get("status") or {}
    generation = (found or {}).get("metadata", {}).get("generation")
    return (
        status.get("observedGeneration") == generation
        and status.get("updatedReplicas") == status.get("readyReplicas") == status.get("replicas") == 3
    )


async def test_the_real_controllers_roll_a_deployment_out_and_over(managed: Path) -> None:
    async with connected(managed) as client:
        await client.create(deployment("rolling"))
        await until(client, DEPLOYMENT, "rolling", rolled_out)

        image = {"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:2"}]}}}}
        await client.patch(DEPLOYMENT, "rolling", image, namespace="default", form="strategic")
        await until(client, DEPLOYMENT, "rolling", rolled_out)

        sets = (await client.list(REPLICA_SET, "default", labels="app=rolling")).items
        assert sorted(one["spec"]["replicas"] for one in sets) == [0, 3]


async def test_the_real_garbage_collector_deletes_in_the_foreground(managed: Path) -> None:
    async with connected(managed) as client:
        await client.create(deployment("falling"))
        await until(client, DEPLOYMENT, "falling", rolled_out)

        marked = await client.delete(DEPLOYMENT, "falling", "default", propagation="Foreground")
        assert marked["metadata"]["finalizers"] == ["foregroundDeletion"]
        await until(client, DEPLOYMENT, "falling", lambda found: found is None)

        assert (await client.list(REPLICA_SET, "default", labels="app=falling")).items == []
        assert (await client.list(POD, "default", labels="app=falling")).items == []


async def test_the_real_namespace_controller_empties_and_ends_a_namespace(managed: Path) -> None:
    async with connected(managed) as client:
        await client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "brief"}})
        await client.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}, namespace="brief"
        )

        await client.delete(NAMESPACE, "brief")

        async with asyncio.timeout(60):
            async for event in client.watch(NAMESPACE, fields="metadata.name=brief"):
                if event.type == "DELETED":
                    break
        with pytest.raises(ApiError) as raised:
            await client.get(NAMESPACE, "brief")
        assert raised.value.reason == "NotFound"
