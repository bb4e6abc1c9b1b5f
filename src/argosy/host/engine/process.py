"""Runs the Argo CD engine of the embedded cluster `local`, until the supervisor ends it."""

from __future__ import annotations

import asyncio
import signal
import socket

import uvloop

from argosy.argo.cd.engine import Engine
from argosy.argo.cd.founding import found
from argosy.argo.cd.repositories.sources import Sources
from argosy.argo.cd.serving.app import app
from argosy.argo.cd.serving.publishing import access, publish
from argosy.host.clusters.home import home
from argosy.host.engine import hearing
from argosy.host.paths import DataDir
from argosy.host.processes import Notify
from argosy.kit.log import get_logger
from argosy.kit.web.listeners import listener, unix_socket
from argosy.kube.client import Client, from_kubeconfig
from argosy.kube.errors import ApiError
from argosy.manifests.programs import find_helm

log = get_logger(__name__)
_CLUSTER = "local"
_NAMESPACE = "argocd"
_AGAIN = 1.0


def run_engine(data: DataDir, notify: Notify) -> None:
    uvloop.run(_run(data, notify))


async def _run(data: DataDir, notify: Notify) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    working = asyncio.create_task(_work(data, notify))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
    log.info("process.stopping")
    stopping.cancel()
    if not working.done():
        working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    if not working.cancelled() and (failure := working.exception()) is not None:
        raise failure


async def _work(data: DataDir, notify: Notify) -> None:
    client = from_kubeconfig(home(data, _CLUSTER).kubeconfig, manager="argocd-application-controller")
    try:
        await _founded(client, notify)
        engine, sources = _made(client, data)
        entrance = await access(client, _NAMESPACE)
        door = _door()
        server = listener(app(engine, sources, lambda: entrance.token), context=entrance.context)
        ear = listener(hearing.app(data, sources.git.pushed_below))
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(sources.run())
                await sources.known()
                group.create_task(engine.run())
                group.create_task(server.serve(sockets=[door]))
                group.create_task(ear.serve(sockets=[unix_socket(data.socket(hearing.NAME))]))
                await asyncio.gather(server.listening.wait(), ear.listening.wait())
                await publish(client, _NAMESPACE, port=door.getsockname()[1])
                notify.ready()
        finally:
            server.stop()
            ear.stop()
            await engine.clusters.close()
            await sources.close()
    finally:
        await client.close()


async def _founded(client: Client, notify: Notify) -> None:
    """As soon as the cluster answers: it is started beside us."""
    while True:
        try:
            return await found(client, _NAMESPACE)
        except ApiError as error:
            if error.code < 500:
                raise
            notify.status(f"waiting for the cluster {_CLUSTER}: {error.message}")
            await asyncio.sleep(_AGAIN)


def _door() -> socket.socket:
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    return door


def _made(client: Client, data: DataDir) -> tuple[Engine, Sources]:
    engine: Engine | None = None

    def pushed(url: str) -> None:
        if engine is not None:
            engine.pushed(url)

    sources = Sources(
        client, data.root / "engine", namespace=_NAMESPACE, on_change=pushed, helm_program=find_helm()
    )
    engine = Engine(
        client,
        renderer=sources.renderer,
        jq=sources.jq,
        trees=sources,
        namespace=_NAMESPACE,
    )
    return engine, sources
