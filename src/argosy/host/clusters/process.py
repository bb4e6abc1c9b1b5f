"""The process `cluster` of `argosy up`: opens every embedded cluster, answers the verbs, stops in order."""

from __future__ import annotations

import asyncio
import signal

import uvloop

from argosy.host.clusters import control
from argosy.host.clusters.fleet import Fleet
from argosy.host.paths import DataDir
from argosy.host.processes import Notify
from argosy.kit.log import get_logger
from argosy.kit.web.listeners import listener, unix_socket

log = get_logger(__name__)


def run_clusters(data: DataDir, notify: Notify) -> None:
    uvloop.run(_run(data, notify))


async def _run(data: DataDir, notify: Notify) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    fleet = Fleet(data)
    notify.status("opening the embedded clusters")
    await fleet.start()
    server = listener(control.app(fleet, data))
    serving = asyncio.create_task(server.serve(sockets=[unix_socket(data.socket(control.NAME))]))
    await server.listening.wait()
    notify.ready()
    await stop.wait()
    log.info("process.stopping")
    server.stop()
    await serving
    await fleet.stop()
