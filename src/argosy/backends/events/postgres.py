"""The transport that needs nothing but PostgreSQL: each consumer reads the producers' outboxes itself.

`host` makes one per process and runs every consumer with it. Notifications wake a consumer, a slow sweep catches
what no notification told; `source` reads in commit order, `effects` makes each effect happen once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from argosy.backends.database import EVERY_ACCOUNT, Database
from argosy.backends.events import metrics
from argosy.backends.events.consumer import Consumer
from argosy.backends.events.effects import Effects, Lost, Patience, is_infrastructure
from argosy.backends.events.progress import START, Position, advance, stored
from argosy.backends.events.source import Follower, Page, Server
from argosy.kit.clock import now
from argosy.kit.errors import ArgosyError, Conflict
from argosy.kit.log import get_logger

log = get_logger(__name__)

_BESIDE_SECONDS = 0.05  # another instance is at work: look again soon
_HIDDEN_SECONDS = (0.0, 0.005, 0.01, 0.02)
_HIDDEN_LONG_SECONDS = 0.1
_HIDDEN_PATIENCE = 100
_LONGEST_PAUSE = 2.0
_KEEP_SKIPPED_SECONDS = 60.0


class PostgresTransport:
    def __init__(self, sources: Mapping[str, str]) -> None:
        """`sources`: for each producer (its schema) how the reading role connects."""
        schemas: dict[str, list[str]] = {}
        for schema, dsn in sources.items():
            schemas.setdefault(dsn, []).append(schema)
        servers = [Server(dsn, names) for dsn, names in schemas.items()]
        self._servers = {
            schema: server
            for server, names in zip(servers, schemas.values(), strict=True)
            for schema in names
        }

    async def run(
        self, consumer: Consumer, database: Database, *, ready: asyncio.Event | None = None
    ) -> None:
        turn = asyncio.Lock()
        paths = [
            _Path(consumer, schema, server, Effects(consumer, schema, database, Patience()), turn)
            for schema, server in self._servers.items()
        ]
        started: list[Server] = []
        try:
            async with asyncio.TaskGroup() as group:
                for path in paths:
                    started.append(path.server)
                    await path.server.start()
                    group.create_task(path.run())
                for path in paths:
                    await path.following.wait()
                if ready is not None:
                    ready.set()
        except* ArgosyError as failed:
            raise failed.exceptions[0] from failed
        finally:
            await asyncio.shield(asyncio.ensure_future(_stop(started)))


async def _stop(servers: Sequence[Server]) -> None:
    for server in servers:
        await server.stop()


@dataclass(slots=True)
class _Path:
    """One consumer along one source. `turn` keeps the consumer's paths from handling at the same time."""

    consumer: Consumer
    source: str
    server: Server
    effects: Effects
    turn: asyncio.Lock
    following: asyncio.Event = field(default_factory=asyncio.Event)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    kept: Position | None = None  # as the database has it
    seen: Position = START  # further than `kept` where nothing was wanted
    kept_at: float = 0.0
    hidden: int = 0

    async def run(self) -> None:
        stop = self.server.follow(self.source, Follower(self.consumer, self.news))
        pause = 0.05
        try:
            while True:
                self.news.clear()
                try:
                    await self._catch_up()
                    pause = 0.05
                except ArgosyError as error:
                    if not is_infrastructure(error):
                        raise
                    log.info("events.waiting_for_database", consumer=self.consumer.name, reason=str(error))
                    self.kept = None  # nobody knows whether the last commit arrived
                    self.following.set()
                    await asyncio.sleep(pause)
                    pause = min(pause * 2, _LONGEST_PAUSE)
                    continue
                self.following.set()
                await self.news.wait()
        finally:
            stop()

    async def _catch_up(self) -> None:
        while True:
            if self.kept is None:
                self.kept = self.seen = await stored(self.effects.database, self.consumer.name, self.source)
            page = await self.server.read(self.source, self.seen, self.consumer)
            if page is None:
                return
            if self.seen.seq and page.epoch != self.seen.epoch:
                log.warning("events.new_epoch", consumer=self.consumer.name, source=self.source)
                self.seen = Position(page.epoch, 0)  # what it has had, its inbox knows
                continue
            self._check_complete(page)
            if not await self._take(page) or page.full or await self._look_behind(page):
                continue
            return

    async def _take(self, page: Page) -> bool:
        """False where there is more to do for what was read: after a failure, or after somebody else's turn."""
        assert self.kept is not None
        if not page.events:
            self.seen = page.end
            await self._keep_skipped()
            return True
        async with self.turn:
            try:
                self.seen = self.kept = await self.effects.apply(page.events, self.kept, page.end)
            except Lost:
                self.kept = None
        if self.kept is None:
            await asyncio.sleep(_BESIDE_SECONDS)
            return False
        self.kept_at = time.monotonic()
        oldest = (now() - page.events[0].event.time).total_seconds()
        if self.effects.patience.wary:
            metrics.lag.labels(self.consumer.name).set(oldest)
            await asyncio.sleep(self.effects.patience.pause)
            return False
        metrics.lag.labels(self.consumer.name).set(oldest if page.full else 0.0)
        return True

    async def _keep_skipped(self) -> None:
        """Now and then, so that a consumer of rare events is not taken for one that was away for weeks."""
        assert self.kept is not None
        if self.seen == self.kept or time.monotonic() - self.kept_at < _KEEP_SKIPPED_SECONDS:
            return
        async with self.effects.database.transaction(EVERY_ACCOUNT) as tx:
            moved = await advance(tx, self.consumer.name, self.source, self.kept, self.seen)
        self.kept, self.kept_at = self.seen if moved else None, time.monotonic()

    async def _look_behind(self, page: Page) -> bool:
        """Committed events wait for an earlier number to be decided. That takes milliseconds, and nobody tells us when."""
        if not page.hidden:
            self.hidden = 0
            return False
        long = self.hidden >= _HIDDEN_PATIENCE
        step = min(self.hidden, len(_HIDDEN_SECONDS) - 1)
        self.hidden += 1
        await asyncio.sleep(_HIDDEN_LONG_SECONDS if long else _HIDDEN_SECONDS[step])
        return True

    def _check_complete(self, page: Page) -> None:
        if self.seen.seq and self.seen.seq < page.pruned:
            raise Conflict(
                f"{self.consumer.name} was away for so long that events of {self.source} it has not had are gone",
                code="events.position_too_old",
                cure="rebuild its read model: empty it, then rewind the consumer, so that it starts from what is kept",
            )
