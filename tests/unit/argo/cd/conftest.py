"""A cluster without controllers: what they would do, the tests do themselves, so that nothing happens by the way."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from argosy.kube.client import Client, from_kubeconfig
from tests.embedded_cluster import bare_cluster

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
