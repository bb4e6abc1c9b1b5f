"""The real Argo CD as a site of scenarios: `python -m tools.oracle argo-cd` records what it answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from argosy.kube.client import Client, from_kubeconfig
from argosy.kube.objects import Object
from tests.conformance.argo_cd import folders

_SEEN = 0.5
"""Seconds after which it has seen what was written: it tells nobody."""


class Theirs:
    def __init__(self, client: Client, folder: Path) -> None:
        self.client, self.patience = client, 60.0
        self._folder = folder

    def repository(self, token: str) -> str:
        return f"file://{self._folder / token}"

    def commit(
        self, token: str, objects: list[Object], files: dict[str, str], *, branch: str, tag: str
    ) -> str:
        return folders.commit(self._folder / token, objects, files, branch=branch, tag=tag)

    async def saw(self, obj: Object) -> None:
        await asyncio.sleep(_SEEN)


@asynccontextmanager
async def site(kubeconfig: Path, folder: Path) -> AsyncIterator[Theirs]:
    client = from_kubeconfig(kubeconfig, manager="kubectl")
    try:
        yield Theirs(client, folder)
    finally:
        await client.close()
