"""The whole life of a process that hosts services: from the first task to the last closed connection."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import uvloop
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from argosy.backends.events import PostgresTransport
from argosy.backends.hosting import Service
from argosy.contracts.identity import Identity
from argosy.host.composition.authentication import PortAuthentication
from argosy.host.composition.clients import Connections, ServiceClients
from argosy.host.composition.hosting import ServiceHost, all_attempted
from argosy.host.composition.metrics import metrics_guard
from argosy.host.installation import Installation
from argosy.host.registry import load, with_database
from argosy.kit.errors import ArgosyError, Unauthenticated
from argosy.kit.log import get_logger
from argosy.kit.rpc.passages import PassageApp
from argosy.kit.rpc.server import RpcApp
from argosy.kit.tokens import ServiceKey
from argosy.kit.web.listeners import Listener, listener

log = get_logger(__name__)
START_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Doors:
    """The sockets this process listens on: `internal` for the other parts, `public` for the world."""

    internal: socket.socket | None = None
    public: socket.socket | None = None
    tls: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Hooks:
    status: Callable[[str], None]
    ready: Callable[[Process], Awaitable[None]]


class Process:
    def __init__(
        self, installation: Installation, services: Sequence[Service], *, encode: bool = False
    ) -> None:
        self._installation = installation
        sources = {one.name: installation.events_dsn(one.name) for one in with_database()}
        self._transport = PostgresTransport(sources)
        self.hosts = [ServiceHost(one, installation, self._transport) for one in services]
        self._connections = Connections()
        self._local = {host.service.name: host.dispatcher for host in self.hosts}
        self._encode = encode
        self._servers: dict[Listener, asyncio.Task[None]] = {}

    def failure_of(self, service: str) -> ArgosyError | None:
        return next((host.failure for host in self.hosts if host.service.name == service), None)

    def clients(self, service: str) -> ServiceClients:
        key = ServiceKey.load(self._installation.data.secrets, service)
        return ServiceClients(
            service, self._installation, self._local, self._connections, key,
            passages=self._passages, encode=self._encode,
        )  # fmt: skip

    def _passages(self, service: str) -> ASGIApp | None:
        running = {host.service.name: host.running for host in self.hosts}[service]
        return None if running is None else running.passages

    def internal_app(self) -> ASGIApp:
        """RPC, and per service the probes that an orchestrator asks."""
        secrets = self._installation.data.secrets
        authentication = PortAuthentication(secrets, lambda service: self.clients(service)(Identity))
        rpc = PassageApp(RpcApp(self._local, authentication), authentication, self._passages)
        hosts = {host.service.name: host for host in self.hosts}
        guard = metrics_guard(self._installation.data.secrets)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            match scope["path"].strip("/").split("/") if scope["method"] == "GET" else ():
                case ["svc", name, ("healthz" | "readyz" | "metrics") as probe] if name in hosts:
                    answer = await _probe(probe, hosts[name], Request(scope), guard)
                    await answer(scope, receive, send)
                case _:
                    await rpc(scope, receive, send)

        return app

    async def run(self, doors: Doors, hooks: Hooks, stop: asyncio.Event) -> None:
        async with asyncio.TaskGroup() as tasks:
            kept = [tasks.create_task(host.run(self.clients(host.service.name))) for host in self.hosts]
            if doors.internal is not None:
                await self._listen(tasks, self.internal_app(), doors.internal, None)
            await all_attempted(self.hosts, seconds=START_SECONDS, say=hooks.status)
            for host in self.hosts:
                if host.running is not None and host.running.app is not None and doors.public is not None:
                    await self._listen(tasks, host.running.app, doors.public, doors.tls)
            await hooks.ready(self)
            await stop.wait()
            log.info("process.stopping")
            await self._stop()
            for task in kept:
                task.cancel()
        await self._connections.close()

    async def _listen(
        self, tasks: asyncio.TaskGroup, app: ASGIApp, door: socket.socket, tls: tuple[str, str] | None
    ) -> None:
        server = listener(app, tls=tls)
        self._servers[server] = tasks.create_task(server.serve(sockets=[door]))
        await server.listening.wait()

    async def _stop(self) -> None:
        """Streams are told to end, then the listeners drain; only then the services behind them go."""
        for host in self.hosts:
            if host.running is not None and host.running.stopping is not None:
                host.running.stopping()
        for server in self._servers:
            server.stop()
        await asyncio.gather(*self._servers.values())  # bounded by the listeners' drain time


async def _probe(probe: str, host: ServiceHost, request: Request, guard: Callable[[str], None]) -> Response:
    if probe == "healthz":
        return PlainTextResponse("ok")
    refused = None
    try:
        guard(request.headers.get("authorization", ""))
    except Unauthenticated as error:
        refused = error
    if probe == "readyz":  # for anybody; who holds the token learns which host and role it is about
        reason = await host.why_not_ready(detailed=refused is None)
        return PlainTextResponse(reason or "ok", 503 if reason else 200)
    if refused is not None:
        return PlainTextResponse(refused.message, 401)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def run_process(installation: Installation, names: Sequence[str], doors: Doors, hooks: Hooks) -> None:
    """Until SIGTERM or SIGINT."""

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        encode = installation.environ.get("ARGOSY_ENCODE_CALLS") == "1"  # tests: see LocalService
        await Process(installation, load(names), encode=encode).run(doors, hooks, stop)

    uvloop.run(main())
