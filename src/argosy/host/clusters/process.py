"""The process `cluster` of `argosy up`: opens every embedded cluster, answers the verbs, stops in order."""

from __future__ import annotations

import asyncio
import signal

import uvloop

from argosy.host.clusters import control, passage, reaching
from argosy.host.clusters.fleet import Fleet
from argosy.host.paths import DataDir
from argosy.host.processes import Notify
from argosy.kit.log import get_logger
from argosy.kit.web.listeners import listener, unix_socket
from argosy.kube.controllers.ingress import Front

log = get_logger(__name__)


def run_clusters(data: DataDir, front: Front, notify: Notify) -> None:
    uvloop.run(_run(data, front, notify))


async def _run(data: DataDir, front: Front, notify: Notify) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    fleet = Fleet(data, front)
    notify.status("opening the embedded clusters")
    await fleet.start()
    ways = passage.Passage(fleet.claims, fleet.doors, data.secrets)
    servers = {reaching.NAME: listener(control.app(fleet, data)), passage.NAME: listener(ways)}
    serving = [
        asyncio.create_task(server.serve(sockets=[unix_socket(data.socket(name))]))
        for name, server in servers.items()
    ]
    for server in servers.values():
        await server.listening.wait()
    notify.ready()
    await stop.wait()
    log.info("process.stopping")
    await ways.close()
    for server in servers.values():
        server.stop()
    await asyncio.gather(*serving)
    await fleet.stop()
