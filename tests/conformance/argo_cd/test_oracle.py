"""The real Argo CD at the embedded API server: it brings an application to Synced and Healthy, and answers as it is recorded.

Needs `make oracle`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path

import pytest

from argosy.kube.client import from_kubeconfig
from argosy.kube.objects import Object
from tests import needs
from tests.conformance.argo_cd import folders
from tests.conformance.argo_cd.objects import made
from tests.conformance.argo_cd.playing import APPLICATION, CONTROL, SERVER
from tests.conformance.argo_cd.recording import asked
from tests.conformance.argo_cd.scenario import load, recording
from tests.conformance.kube import live
from tools import argo_oracle, argo_oracle_build, oracle_build, oracle_cluster

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]


@pytest.fixture(autouse=True)
def built() -> None:
    if why := argo_oracle_build.missing():
        needs.absent(why)


@contextmanager
def embedded(folder: Path) -> Iterator[Path]:
    for cluster in live.embedded(folder):
        yield cluster.kubeconfig


@contextmanager
def real(folder: Path) -> Iterator[Path]:
    """Without nodes: nothing that waits for pods is ever healthy there."""
    if oracle_build.missing():
        needs.absent("the real Kubernetes is not built: make oracle")
    with oracle_cluster.running(controllers=True, durable=False) as oracle:
        yield oracle.kubeconfig


@pytest.mark.parametrize(
    ("cluster", "objects"),
    [
        pytest.param(
            embedded,
            [{"Deployment": "web", "replicas": 2}, {"Service": "web"}, {"ConfigMap": "a"}],
            id="embedded",
        ),
        pytest.param(real, [{"Service": "web"}, {"ConfigMap": "a"}, {"ServiceAccount": "web"}], id="real"),
    ],
)
def test_the_real_argo_cd_makes_an_application_synced_and_healthy(
    cluster: object, objects: list[Object], tmp_path: Path
) -> None:
    revision = folders.commit(tmp_path / "git", [made(one) for one in objects], {})
    with cluster(tmp_path) as kubeconfig, argo_oracle.running(kubeconfig):  # type: ignore[operator]  a context
        app = asyncio.run(_followed(kubeconfig, tmp_path / "git"))
    assert app["status"]["sync"]["revision"] == revision
    assert {one["name"]: one["status"] for one in app["status"]["resources"]} == {
        next(iter(one.values())): "Synced" for one in objects
    }


async def _followed(kubeconfig: Path, repository: Path) -> Object:
    client = from_kubeconfig(kubeconfig)
    source = {"repoURL": f"file://{repository}", "path": ".", "targetRevision": "main"}
    spec = {
        "project": "default",
        "source": source,
        "destination": {"server": SERVER, "namespace": "web"},
        "syncPolicy": {"automated": {}, "syncOptions": ["CreateNamespace=true"]},
    }
    app = {
        "apiVersion": APPLICATION.api_version,
        "kind": "Application",
        "metadata": {"name": "web", "namespace": CONTROL},
        "spec": spec,
    }
    seen: Object = {}
    try:
        await client.create(app)
        async with asyncio.timeout(120), aclosing(client.watch(APPLICATION, CONTROL, initial=True)) as events:
            async for event in events:
                seen = event.object
                status = seen.get("status") or {}
                if (status.get("sync") or {}).get("status") == "Synced" and (status.get("health") or {}).get(
                    "status"
                ) == "Healthy":
                    return seen
    except TimeoutError:
        raise AssertionError(f"it never was; the last was {seen}") from None
    finally:
        await client.close()
    raise AssertionError("the watch ended")


def test_the_recordings_are_what_it_answers() -> None:
    """What differs is asked once more: some of what it does depends on what it hears first."""
    scenarios = load()
    for _ in range(2):
        answers, _ = asked(scenarios)
        scenarios = [one for one in scenarios if answers.get(one.id) != recording(one.subject)[one.id]]
        if not scenarios:
            return
    assert [one.id for one in scenarios] == []
