"""One embedded cluster that runs: its API server, its controllers and its nodes, on a port of its own."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Coroutine

from argosy.host.clusters import renewal
from argosy.host.clusters.home import Home, Settings
from argosy.kit import clock
from argosy.kit.errors import Unavailable
from argosy.kit.log import get_logger
from argosy.kube import controllers
from argosy.kube.client import Client, in_process
from argosy.kube.controllers.ingress import Claims, Door, Front, Taking
from argosy.kube.nodes import SimulatedNodes
from argosy.kube.server import listening
from argosy.kube.server.access import User
from argosy.kube.server.api.pipeline import Pipeline
from argosy.kube.server.cluster import Cluster
from argosy.kube.server.opening import open_cluster
from argosy.kube.server.store import Snapshot

log = get_logger(__name__)
_HOST = "127.0.0.1"
_PARTS = {
    "controllers": "system:kube-controller-manager",
    "nodes": "system:node:simulated",
}


class Running:
    """`start` returns when it answers; `stop` when everything acknowledged is on disk."""

    def __init__(self, home: Home, front: Front, claims: Claims) -> None:
        self.home = home
        self.url = ""
        self._stop = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._cluster: Cluster | None = None
        self._nodes = SimulatedNodes()
        self.to_gateway = Door(home.name, front, Taking(), claims, self._nodes)

    async def start(self) -> None:
        tokens = {part: secrets.token_urlsafe(32) for part in _PARTS}
        # As the masters: these parts are the platform's own, and a cluster whose roles somebody broke must still be healed.
        users = {token: User(name=_PARTS[part], groups=("system:masters",)) for part, token in tokens.items()}
        door = self._door()
        self.url = f"https://{_HOST}:{door.getsockname()[1]}"
        self.let_take()
        cluster = await open_cluster(
            self.home.name,
            objects=self.home.objects,
            keys=self.home.keys,
            hosts=[_HOST, "localhost"],
            tokens=users,
            kubelet=self._nodes,
        )
        self._cluster = cluster
        handle = Pipeline(cluster).handle
        renewal.renew(self.home, cluster.authority, self.url)
        self._run(listening.serve(handle, door, cluster.authority.ssl_context(), self._stop), "listener")

        self._run(cluster.live(), "server")
        self._run(renewal.keep_valid(self.home, cluster.authority, self.url), "certificates")

        def client(part: str) -> Client:
            return in_process(handle, tokens[part], manager=_PARTS[part].removeprefix("system:"))

        self._run(
            controllers.run(
                client("controllers"), root_ca=cluster.authority.certificate_pem, door=self.to_gateway
            ),
            "controllers",
        )
        self._run(self._nodes.run(client("nodes")), "nodes")

    def let_take(self) -> None:
        """What the settings let its Ingresses take of the gateway, from now on."""
        settings, front = self.home.settings(), self.to_gateway.front
        hosts = front.hosts if settings.hosts is None else tuple(settings.hosts)
        self.to_gateway.take(Taking(hosts, settings.own_paths))

    def snapshot(self) -> Snapshot:
        if self._cluster is None:
            raise Unavailable(f"the embedded cluster {self.home.name!r} is starting", code="kube.starting")
        return self._cluster.store.snapshot()

    async def stop(self) -> None:
        self._stop.set()
        serving, *others = self._tasks
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        self.to_gateway.close()
        await serving
        if self._cluster is not None:
            await self._cluster.store.close()

    def _run(self, work: Coroutine[object, object, None], name: str) -> None:
        task = asyncio.create_task(work, name=f"{self.home.name}.{name}")
        task.add_done_callback(self._ended)
        self._tasks.append(task)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """No part may end by itself: the process ends with it, and the supervisor starts everything anew."""
        if self._stop.is_set() or task.cancelled():
            return
        log.critical("cluster.part_ended", part=task.get_name(), error=repr(task.exception()))
        raise SystemExit(1)

    def _door(self) -> socket.socket:
        """Its port of old, or a free one for a new cluster."""
        known = (self.home.folder / "cluster.json").exists()
        port = self.home.settings().port if known else 0
        door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((_HOST, port))
        except OSError as error:
            door.close()
            raise Unavailable(
                f"port {port} of the embedded cluster {self.home.name!r} is taken",
                code="kube.port",
                cure="end the program that took it; kubeconfigs that people have name this port",
            ) from error
        door.setblocking(False)
        door.listen()  # so that whoever comes between now and the first accept waits instead of being refused
        if not known:
            self.home.keep(Settings(port=door.getsockname()[1], created=clock.iso(clock.now())))
        return door
