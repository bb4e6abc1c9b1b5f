"""The server under test, for everything in this folder."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import needs
from tests.conformance.kube import live
from tests.conformance.kube.replay import Server
from tests.embedded_cluster import bare_cluster
from tools import oracle_build
from tools.oracle import server

_ELSEWHERE = "ARGOSY_KUBE_UNDER_TEST"
"""A kubeconfig of a server to judge instead of our own: with the oracle's, everything must pass."""


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A cluster with no controllers and no nodes, whose administrator is `kubernetes-admin` of `system:masters`. It runs in
    a thread of its own: each test has its own event loop."""
    if kubeconfig := os.environ.get(_ELSEWHERE):
        yield server(Path(kubeconfig))
        return
    with bare_cluster(tmp_path_factory.mktemp("cluster")) as ours:
        yield server(ours)


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[live.Embedded]:
    """A cluster as `argosy up` runs it, with controllers and nodes. Not to be stopped: others use it too."""
    yield from live.embedded(tmp_path_factory.mktemp("embedded"))


@pytest.fixture
def namespace(embedded: live.Embedded) -> str:
    """One for each test, with what the cluster puts into it. It stays: the cluster goes soon enough."""
    name = f"test-{secrets.token_hex(4)}"
    embedded.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    live.until(lambda: embedded.has(f"/api/v1/namespaces/{name}/serviceaccounts/default"))
    return name


@pytest.fixture(params=["machine", pytest.param("current", marks=pytest.mark.long)])
def kubectl(
    request: pytest.FixtureRequest,
    embedded: live.Embedded,
    namespace: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> live.Kubectl:
    """The machine's own, however old, and the one that `make oracle` builds."""
    if request.param == "machine":
        program = Path(needs.program("kubectl"))
    elif not (program := oracle_build.binary("kubectl")).exists():
        needs.absent("no current kubectl: make oracle builds one")
    home = tmp_path_factory.getbasetemp() / f"home-{request.param}"
    return live.Kubectl(program, embedded.kubeconfig, home, namespace)


@pytest.fixture
def helm(embedded: live.Embedded, namespace: str, tmp_path: Path) -> live.Tool:
    beside = Path(sys.executable).with_name("helm")
    program = beside if beside.exists() else Path(needs.program("helm"))
    return live.Tool(program, embedded.kubeconfig, tmp_path, namespace)
