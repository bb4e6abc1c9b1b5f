"""An embedded cluster for tests, in a thread with a loop of its own: with or without controllers and nodes."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvloop

from argosy.kube.client import in_process
from argosy.kube.kubelet import LogOptions
from argosy.kube.nodes import SimulatedNodes
from argosy.kube.objects import Object
from argosy.kube.server import listening
from argosy.kube.server.access import User
from argosy.kube.server.api.pipeline import Pipeline
from argosy.kube.server.opening import open_cluster

_NODES_TOKEN = "of-the-nodes-in-tests"


class NoNodes:
    """Nobody runs pods here."""

    async def logs(self, pod: Object, asked: LogOptions) -> AsyncIterator[bytes]:
        for nothing in tuple[bytes, ...]():
            yield nothing

    def address(self, pod: Object, port: int) -> None:
        return None

    def reachable(self, host: str, port: int) -> bool:
        return False


@contextmanager
def bare_cluster(folder: Path, *, nodes: bool = False) -> Iterator[Path]:
    """An API server alone, as the real one stands in the recordings; perhaps with simulated nodes, but nobody who makes
    pods. Yields the administrator's kubeconfig."""
    started = threading.Event()
    failure: list[BaseException] = []
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def main() -> None:
        stop = asyncio.Event()
        loops.append((asyncio.get_running_loop(), stop))
        simulated = SimulatedNodes()
        cluster = await open_cluster(
            "test",
            objects=folder / "objects.db",
            keys=folder / "pki",
            hosts=["127.0.0.1"],
            tokens={_NODES_TOKEN: User(name="system:node:simulated", groups=("system:masters",))},
            kubelet=simulated if nodes else NoNodes(),
        )
        handle = Pipeline(cluster).handle
        door = socket.socket()
        door.bind(("127.0.0.1", 0))
        door.listen()  # at once: who reads the kubeconfig may connect
        door.setblocking(False)
        door.listen()  # whoever comes before the first accept waits
        url = f"https://127.0.0.1:{door.getsockname()[1]}"
        (folder / "kubeconfig").write_text(cluster.authority.kubeconfig(cluster="test", url=url))
        (folder / "ca.pem").write_text(cluster.authority.certificate_pem)
        living = asyncio.ensure_future(simulated.run(in_process(handle, _NODES_TOKEN))) if nodes else None
        following = asyncio.ensure_future(cluster.live())
        started.set()
        await listening.serve(handle, door, cluster.authority.ssl_context(), stop)
        for task in filter(None, (living, following)):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await cluster.store.close()

    def run() -> None:
        try:
            uvloop.run(main())
        except BaseException as error:
            failure.append(error)
            started.set()

    thread = threading.Thread(target=run, name="embedded-cluster", daemon=True)
    thread.start()
    started.wait(30)
    if failure:
        raise failure[0]
    try:
        yield folder / "kubeconfig"
    finally:
        loop, stop = loops[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)
