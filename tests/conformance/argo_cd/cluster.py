"""A cluster without controllers that serves the kinds of Argo and has the project `default`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from argosy.kube.client import from_kubeconfig
from tests.conformance.argo_cd.playing import CONTROL
from tests.embedded_cluster import bare_cluster
from tools.argo_oracle import define
from tools.argo_oracle_objects import project
from tools.steps import ROOT

_DEFINITIONS = ROOT / "src" / "argosy" / "argo" / "crds"


@contextmanager
def defined_cluster(folder: Path) -> Iterator[Path]:
    """Its kubeconfig."""
    with bare_cluster(folder) as kubeconfig:
        asyncio.run(prepare(kubeconfig))
        yield kubeconfig


async def prepare(kubeconfig: Path) -> None:
    """With the kinds of Argo, its namespace, and a project that permits everything."""
    client = from_kubeconfig(kubeconfig)
    try:
        await client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": CONTROL}})
        await define(client, [json.loads(path.read_text()) for path in sorted(_DEFINITIONS.glob("*.json"))])
        await client.create(project())
    finally:
        await client.close()
