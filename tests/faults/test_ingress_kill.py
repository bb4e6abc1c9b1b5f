"""kill -9 of the process that runs the clusters: their Ingresses say so until it is back, and are served again by themselves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from argosy.kube.client import from_kubeconfig
from tests.faults.test_kill_everything import kill
from tests.installation import Installation, Reply
from tests.unit.kube.controllers.ingress.objects import backend, ingress


def until(asked: Callable[[], Reply], code: str) -> Reply:
    deadline = time.monotonic() + 60
    while (reply := asked()).code != code:
        assert time.monotonic() < deadline, f"not {code} but {reply.body.decode()}"
    return reply


def test_an_ingress_is_away_with_its_cluster_and_comes_back_with_it() -> None:
    with Installation() as installation:
        made = ingress(name="web", default=backend("gone"))
        del made["metadata"]["uid"]

        async def create() -> None:
            client = from_kubeconfig(installation.data_dir / "clusters" / "local" / "kubeconfig")
            await client.create(made)
            await client.close()

        asyncio.run(create())
        admin = installation.admin

        def ask() -> Reply:
            return admin.get("/ingress/local/default/web/")

        until(ask, "ingress.no_backend")

        kill(installation, "cluster")

        reply = until(ask, "ingress.away")
        assert (reply.status, reply.headers["retry-after"]) == (503, "2")
        until(ask, "ingress.no_backend")
