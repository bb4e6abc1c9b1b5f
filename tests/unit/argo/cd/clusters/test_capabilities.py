"""Charts see the version and the kinds of the cluster they are for."""

from __future__ import annotations

import pytest

from argosy.argo.cd.clusters.capabilities import Asking, Capabilities
from argosy.kube.client import Client
from argosy.kube.errors import unavailable


async def test_a_cluster_tells_its_version_and_what_it_serves(client: Client) -> None:
    found = await Asking(client).capabilities()
    version = await client.version()
    assert found.version == f"{version['major']}.{version['minor']}"
    assert {"v1", "v1/Secret", "apps/v1", "apps/v1/Deployment", "batch/v1/CronJob"} <= set(found.apis)
    assert not any(one.startswith("/") for one in found.apis)
    assert list(found.apis) == sorted(found.apis)


async def test_it_is_asked_once_in_a_while(client: Client) -> None:
    asking = Asking(client)
    assert await asking.capabilities() is await asking.capabilities()


async def test_while_the_cluster_is_away_the_last_answer_counts(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = Asking(client)
    known = await asking.capabilities()

    async def away() -> dict[str, str]:
        raise unavailable("nobody is there")

    monkeypatch.setattr("argosy.argo.cd.clusters.capabilities._BELIEVED", 0.0)
    later = Asking(client)
    assert await later.capabilities() == known
    monkeypatch.setattr(client, "version", away)
    assert await later.capabilities() == known
    assert await Asking(client).capabilities() == Capabilities()
