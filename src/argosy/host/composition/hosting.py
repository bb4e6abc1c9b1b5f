"""One service's life in this process: database, migrations, build, consumers, background loops, and back again.

Its database down degrades this service alone: it answers `Unavailable` with the reason and keeps trying.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence

from argosy.backends.database import Database, migrations
from argosy.backends.database.migrations import migrate
from argosy.backends.events import Consumer, DeadLetters, EventTransport, Outbox, prune
from argosy.backends.hosting import Recorder, Resources, Running, Service, idempotency
from argosy.backends.hosting.dispatch import Dispatcher
from argosy.contracts.hosting import Hosted
from argosy.host.composition.clients import ServiceClients
from argosy.host.composition.hosted import HostedService
from argosy.host.composition.metrics import metrics_guard
from argosy.host.installation import Installation
from argosy.kit.errors import ArgosyError, Internal
from argosy.kit.log import get_logger
from argosy.kit.operations import operations

log = get_logger(__name__)
_AGAIN_SECONDS = (0.2, 0.5, 1.0, 2.0, 5.0)
_PRUNE_SECONDS = 3600.0


class ServiceHost:
    def __init__(self, service: Service, installation: Installation, transport: EventTransport) -> None:
        self.service, self._installation, self._transport = service, installation, transport
        dsn = installation.dsn(service.name) if service.migrations else ""
        self.database = Database(dsn, service=service.name)
        self._outbox = Outbox(self.database)
        self._recorder = Recorder(service.name, self.database, self._outbox)
        self._hosted = HostedService(service.name, self.database, DeadLetters(self.database), self._recorder)
        known = operations(service.contract) | operations(Hosted)
        self.dispatcher = Dispatcher(service.name, known, self._recorder if service.migrations else None)
        self.dispatcher.always(self._hosted, operations(Hosted))
        self.attempted = asyncio.Event()  # the first attempt to become ready has ended, well or not
        self.running: Running | None = None
        self.failure: ArgosyError | None = None  # why the last attempt to start failed
        self._opened = False

    async def why_not_ready(self, *, detailed: bool) -> str:
        """As of now, or ""."""
        reason, detail = await self._hosted.missing(database=bool(self.service.migrations))
        return f"{reason}: {detail}" if detailed and detail else reason

    async def run(self, clients: ServiceClients) -> None:
        """Until cancelled."""
        try:
            running = await self._build(clients)
            await self._keep_running(running)
        finally:
            self.dispatcher.not_ready(f"{self.service.name} is stopping")
            await self.database.close()

    async def _build(self, clients: ServiceClients) -> Running:
        """Tried until it succeeds; in between the service answers with what it waits for."""
        attempt = 0
        while True:
            try:
                return await self._build_once(clients)
            except ArgosyError as error:
                self.failure = error
                log.warning("service.waiting", service=self.service.name, reason=error.told, code=error.code)
            except Exception:  # the loop's top: a fault in one service must not take the process down
                self.failure = Internal(f"{self.service.name} cannot start; the log of its process says why")
                log.exception("service.failed_to_start", service=self.service.name)
            self._hosted.became(self.failure.message, self.failure.detail)
            self.dispatcher.not_ready(self.failure.message, self.failure.detail)
            self.attempted.set()
            await asyncio.sleep(_AGAIN_SECONDS[min(attempt, len(_AGAIN_SECONDS) - 1)])
            attempt += 1

    async def _build_once(self, clients: ServiceClients) -> Running:
        if self.service.migrations:
            await self._open_database()
        running = await self.service.build(self._resources(clients))
        self.running, self.failure = running, None
        self._hosted.consumers = {one.name: one for one in running.consumers}
        self.dispatcher.ready(running.api)
        self._hosted.became("")
        self.attempted.set()
        log.info("service.ready", service=self.service.name)
        return running

    async def _open_database(self) -> None:
        if not self._opened:
            await self.database.open()
            self._opened = True
        for applied in await migrate(self.database, self.service.migrations):
            log.info("migration.applied", service=self.service.name, migration=applied)
        self._hosted.schema_version = migrations.load(self.service.migrations)[-1].number

    def _resources(self, clients: ServiceClients) -> Resources:
        data = self._installation.data
        return Resources(
            settings=self._installation.settings_for(self.service),
            database=self.database,
            outbox=self._outbox,
            recorder=self._recorder,
            clients=clients,
            data_dir=data.root,
            secrets=data.secrets,
            anchors=data.anchors,
            metrics_guard=metrics_guard(data.secrets),
        )

    async def _keep_running(self, running: Running) -> None:
        async with asyncio.TaskGroup() as tasks:
            if self.service.migrations:
                tasks.create_task(self._keep("audit notes", self._recorder.run))
                tasks.create_task(self._keep("outbox pruning", self._prune))
            for consumer in running.consumers:
                tasks.create_task(self._keep(f"consumer {consumer.name}", self._consuming(consumer)))
            for loop in running.background:
                tasks.create_task(self._keep(getattr(loop, "__name__", "background"), loop))

    def _consuming(self, consumer: Consumer) -> Callable[[], Awaitable[None]]:
        return lambda: self._transport.run(consumer, self.database)

    async def _prune(self) -> None:
        while True:
            if removed := await prune(self.database):
                log.info("outbox.pruned", service=self.service.name, events=removed)
            await idempotency.forget(self.database)
            await asyncio.sleep(_PRUNE_SECONDS)

    async def _keep(self, name: str, loop: Callable[[], Awaitable[None]]) -> None:
        """A loop that ends or fails is started again, with back-off; what failed is in the log."""
        attempt = 0
        while True:
            started = asyncio.get_running_loop().time()
            try:
                await loop()
            except ArgosyError as error:
                log.warning(
                    "loop.failed", service=self.service.name, loop=name, reason=error.told, code=error.code
                )
            except Exception:  # the loop's top: logged whole, then tried again
                log.exception("loop.failed", service=self.service.name, loop=name)
            if asyncio.get_running_loop().time() - started > 30:
                attempt = 0
            await asyncio.sleep(_AGAIN_SECONDS[min(attempt, len(_AGAIN_SECONDS) - 1)])
            attempt += 1


async def all_attempted(hosts: Sequence[ServiceHost], *, seconds: float, say: Callable[[str], None]) -> None:
    """Waits until each service is ready or known to wait for its own database."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for host in hosts:
                say(f"starting {host.service.name}")
                await host.attempted.wait()
