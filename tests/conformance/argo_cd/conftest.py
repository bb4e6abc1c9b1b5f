"""A cluster for all scenarios of a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.argo_cd.cluster import defined_cluster


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One for all: a TLS connection ends a little after it was closed, and needs its loop for that."""
    with asyncio.Runner() as runner:
        yield runner
        runner.run(asyncio.sleep(0.25))


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with defined_cluster(tmp_path_factory.mktemp("cluster")) as path:
        yield path
