"""An API server in memory, asked as a client would."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from argosy.kube.objects import Object
from argosy.kube.server.access import User
from argosy.kube.server.api.pipeline import Pipeline
from argosy.kube.server.opening import open_cluster
from argosy.kube.wire import Request, Response
from tests.embedded_cluster import NoNodes

POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "one"},
    "spec": {"containers": [{"name": "web", "image": "i"}]},
}
PODS = "/api/v1/namespaces/default/pods"


class Server:
    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    async def ask(
        self, method: str, path: str, body: object = None, *, media: str = "application/json"
    ) -> tuple[int, Any]:
        sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        response = await self.answer(method, path, sent, media=media)
        assert isinstance(response.body, bytes)
        return response.status, json.loads(response.body or b"null")

    async def answer(
        self, method: str, path: str, body: bytes, *, media: str = "application/json"
    ) -> Response:
        path, _, query = path.partition("?")
        pairs = [tuple(part.partition("=")[::2]) for part in query.split("&") if part]
        headers = {"authorization": "Bearer t", "content-type": media, "user-agent": "tests"}
        return await self._pipeline.handle(Request(method, path, tuple(pairs), headers, body))  # type: ignore[arg-type]

    async def lines(self, path: str) -> AsyncIterator[Any]:
        """Of a watch."""
        path, _, query = path.partition("?")
        pairs = [tuple(part.partition("=")[::2]) for part in query.split("&") if part]
        response = await self._pipeline.handle(
            Request("GET", path, tuple(pairs), {"authorization": "Bearer t"})  # type: ignore[arg-type]
        )
        assert not isinstance(response.body, bytes)
        async for text in response.body:
            for line in text.splitlines():
                yield json.loads(line)


async def server(folder: Path, *, durable: bool = False) -> Server:
    cluster = await open_cluster(
        "test",
        objects=folder / "objects.db" if durable else None,
        keys=folder / "pki",
        hosts=["127.0.0.1"],
        tokens={"t": User("tester", groups=("system:masters",))},
        kubelet=NoNodes(),
    )
    made = Server(Pipeline(cluster))
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    status, _ = await made.ask("POST", "/api/v1/namespaces/default/serviceaccounts", account)
    assert status == 201
    return made
