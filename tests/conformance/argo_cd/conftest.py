"""A cluster without controllers that serves the kinds of Argo, for all scenarios of a worker."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from argosy.kube.client import from_kubeconfig
from tests.conformance.argo_cd.playing import CONTROL
from tests.embedded_cluster import bare_cluster
from tools.argo_oracle import define
from tools.argo_oracle_objects import project

_DEFINITIONS = Path("src/argosy/argo/crds")


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One for all scenarios of a worker."""
    with asyncio.Runner() as runner:
        yield runner
        runner.run(asyncio.sleep(0.25))  # a TLS connection ends a little after it was closed


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory, loop: asyncio.Runner) -> Iterator[Path]:
    with bare_cluster(tmp_path_factory.mktemp("cluster")) as path:
        loop.run(_prepare(path))
        yield path


async def _prepare(kubeconfig: Path) -> None:
    client = from_kubeconfig(kubeconfig)
    try:
        await client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": CONTROL}})
        await define(client, [json.loads(path.read_text()) for path in sorted(_DEFINITIONS.glob("*.json"))])
        if (_DEFINITIONS / "appprojects.json").exists():
            await client.create(project())
    finally:
        await client.close()
