"""Embedded clusters, the edge before them, and pods that really answer: all in one loop, over real sockets.

The nodes are simulated but for one thing: a pod that is ready listens, at a small server of the test's. Who is signed in is decided by
a stand-in for identity, which knows one session and one key.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp
from yarl import URL

from argosy.backends.hosting.service import Clients
from argosy.contracts.audit import Audit
from argosy.contracts.identity import Credential, Exchanged
from argosy.host.clusters import passage, running
from argosy.host.clusters.fleet import Fleet
from argosy.host.clusters.passage import Passage
from argosy.host.paths import DataDir
from argosy.kit.calls import Call, Principal
from argosy.kit.errors import Unauthenticated
from argosy.kit.web.listeners import listener, unix_socket
from argosy.kube.client import Client, Informer, from_kubeconfig
from argosy.kube.controllers.ingress import Front
from argosy.kube.nodes import SimulatedNodes
from argosy.kube.objects import Object
from argosy.kube.types import Kind
from argosy.platform.gateway.app import Edge
from argosy.platform.gateway.credentials import Credentials
from argosy.platform.gateway.ingress import Followed, Passing
from argosy.platform.gateway.noting import Notes
from argosy.platform.gateway.settings import GatewaySettings
from argosy.platform.gateway.streams import OpenStreams
from tests.unit.kube.controllers.ingress.objects import ingress

INGRESS, SERVICE, POD, EVENT = (
    Kind("networking.k8s.io", "v1", "Ingress"),
    Kind("", "v1", "Service"),
    Kind("", "v1", "Pod"),
    Kind("", "v1", "Event"),
)
KEY = "argk_" + "k" * 43
WHO = Principal(kind="user", id="u", account="a", admin=True, credential="key:k")


@dataclass
class App:
    """What runs in the pods: keeps what it was asked, and answers what the test says."""

    asked: list[Request] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=lambda: [("content-type", "application/json")])
    status: int = 200
    body: bytes = b"{}"
    endless: asyncio.Event | None = None
    """Set by the app when somebody stopped listening to what never ends."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        self.asked.append(request)
        self.bodies.append(await request.body())
        answer = (
            Response(self.body, self.status) if self.endless is None else StreamingResponse(self._forever())
        )
        answer.raw_headers = [(name.encode(), value.encode()) for name, value in self.headers]
        await answer(scope, receive, send)

    async def _forever(self) -> AsyncIterator[bytes]:
        assert self.endless is not None
        try:
            yield b"the first\n"
            await asyncio.Event().wait()
        finally:
            self.endless.set()


class Identity:
    async def exchange(self, *, call: Call, request: Credential) -> Exchanged:
        if request.secret not in (KEY, "a-session"):
            raise Unauthenticated("no such credential")
        return Exchanged("a-token", 2e9, WHO)


class World:
    """`url` is the edge's own."""

    def __init__(self, folder: Path, app_port: int) -> None:
        self.data = DataDir(folder)
        self.data.create()
        self._door = _tcp()
        port = self._door.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.port = port
        self.settings = GatewaySettings(port=port, clusters=str(self.data.socket(passage.NAME)))
        self.front = Front(self.url, frozenset({"127.0.0.1", "localhost"}), ("*.localhost",))
        self.streams = OpenStreams()
        self.followed = Followed(self.settings.clusters, self.data.secrets)
        self.fleet: Fleet
        self._app_port = app_port
        self._clusters: AsyncExitStack | None = None
        self._http: aiohttp.ClientSession

    @asynccontextmanager
    async def running(self) -> AsyncIterator[World]:
        async with AsyncExitStack() as stack:
            self._http = await stack.enter_async_context(
                aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
            )
            await stack.enter_async_context(served(self._edge(), self._door))
            following = asyncio.create_task(self.followed.follow())
            stack.push_async_callback(_cancelled, following)
            stack.push_async_callback(self.stop_clusters)
            await self.start_clusters()
            yield self

    async def start_clusters(self) -> None:
        self._clusters = AsyncExitStack()
        self.fleet = Fleet(self.data, self.front)
        await self.fleet.start()
        self._clusters.push_async_callback(self.fleet.stop)
        ways = Passage(self.fleet.claims, self.fleet.doors, self.data.secrets)
        door = unix_socket(self.data.socket(passage.NAME))
        await self._clusters.enter_async_context(served(ways, door))
        self._clusters.push_async_callback(ways.close)

    async def stop_clusters(self) -> None:
        if self._clusters is not None:
            await self._clusters.aclose()
            self._clusters = None

    def client(self, cluster: str = "local") -> Client:
        return from_kubeconfig(self.data.clusters / cluster / "kubeconfig", manager="tests")

    async def send(
        self, path: str, *, host: str = "", method: str = "GET", body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """`host`: a name that leads here; without one it is the edge's own, by the key."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if host:
            sent["Host"] = f"{host}:{self.port}"
        else:
            sent.setdefault("Authorization", KEY)
        url = URL(self.url + path, encoded=True)
        async with self._http.request(
            method, url, headers=sent, data=body, allow_redirects=False, auto_decompress=False
        ) as answer:
            return (
                answer.status,
                {name.lower(): value for name, value in answer.headers.items()},
                await answer.read(),
            )

    def streaming(self, path: str, host: str) -> Any:
        return self._http.get(
            self.url + path, headers={"Host": f"{host}:{self.port}"} if host else {"Authorization": KEY}
        )

    async def until_served(self, path: str, *, host: str = "", status: int = 200) -> bytes:
        """The edge hears of a change a moment after whoever made it."""
        async with asyncio.timeout(20):
            while True:
                found, _, body = await self.send(path, host=host)
                if found == status:
                    return body
                await asyncio.sleep(0.01)

    def _edge(self) -> ASGIApp:
        def clients(contract: type) -> object:
            return Identity()

        clients.remember = lambda exchanged, audience: None  # type: ignore[attr-defined]
        known = cast(Clients, clients)
        passing = Passing(self.settings, self.followed, self.streams)
        notes = Notes(cast(Audit, None))
        return Edge(self.settings, known, Credentials(known), self.streams, {}, {}, notes, passing)


@asynccontextmanager
async def world(folder: Path, app: App, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    door = _tcp()
    port = door.getsockname()[1]

    class Answering(SimulatedNodes):
        def address(self, pod: Object, port_asked: int) -> tuple[str, int] | None:
            return ("127.0.0.1", port) if pod["metadata"].get("labels", {}).get("answers") != "no" else None

    monkeypatch.setattr(running, "SimulatedNodes", Answering)
    async with served(app, door), World(folder, port).running() as made:
        yield made


async def deploy(client: Client, name: str = "web", *, answers: bool = True) -> None:
    """A ready pod behind a Service."""
    labels = {"app": name, "answers": "yes" if answers else "no"}
    pod: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "web:1"}]},
    }
    service: Object = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"app": name}, "ports": [{"name": "http", "port": 80, "targetPort": 8080}]},
    }
    await client.create(service)
    await client.create(pod)


async def expose(client: Client, *rules: Object, name: str = "web", **more: Any) -> Object:
    """An Ingress, once it has its address."""
    made = ingress(*rules, name=name, **more)
    del made["metadata"]["uid"]
    await client.create(made)
    return await seen(client, INGRESS, name, lambda one: bool((one.get("status") or {}).get("loadBalancer")))


async def seen(client: Client, kind: Kind, name: str, holds: Callable[[Object], object]) -> Object:
    """The object, once it is so."""
    found: asyncio.Future[Object] = asyncio.get_running_loop().create_future()

    def changed(_: Object | None, after: Object | None) -> None:
        if after is not None and holds(after) and not found.done():
            found.set_result(after)

    informer = Informer(client, kind, fields=f"metadata.name={name}" if name else "", on_change=changed)
    following = asyncio.create_task(informer.run())
    try:
        return await asyncio.wait_for(found, 20)
    finally:
        await _cancelled(following)


async def told(client: Client, name: str, reason: str) -> str:
    """The words of an event about an Ingress."""
    event = await seen(
        client, EVENT, "", lambda one: (one["involvedObject"]["name"], one["reason"]) == (name, reason)
    )
    return str(event["message"])


def parsed(body: bytes) -> Any:
    return json.loads(body)


@asynccontextmanager
async def served(app: ASGIApp, door: socket.socket) -> AsyncIterator[None]:
    server = listener(app)
    serving = asyncio.create_task(server.serve(sockets=[door]))
    await server.listening.wait()
    try:
        yield
    finally:
        server.stop()
        await serving


async def _cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _tcp() -> socket.socket:
    made = socket.create_server(("127.0.0.1", 0))
    made.setblocking(False)
    return made
