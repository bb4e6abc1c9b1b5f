"""Exactly one effect per event: position, processed ids and effect are one transaction of the consumer's database.

Transports call `apply` with events in order. What fails is first tried one by one, so that the good events before it
count; then a few times more; then it is parked with all later events of its key, while other keys go on.

An outage parks nothing. A statement that ran into its deadline may be either: it counts against the event only where the
transaction survived it and commits, and each event parked for that alone, with none handled since, doubles the tries of
the next. So one event that is always too slow gets out of the way, and a table that somebody holds locked for an hour
does not empty the queue into the dead letters.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from argosy.backends.database import Database, Transaction
from argosy.backends.database.failures import DRIVER_ERRORS
from argosy.backends.events import metrics, parking
from argosy.backends.events.consumer import Consumer
from argosy.backends.events.progress import Position, advance, try_hold
from argosy.backends.events.source import Delivered
from argosy.contracts.events import Event
from argosy.kit.clock import now
from argosy.kit.errors import ArgosyError, DeadlineExceeded, Unavailable
from argosy.kit.log import get_logger

log = get_logger(__name__)

ATTEMPTS = 4
MOST_ATTEMPTS = 32
HANDLE_SECONDS = 60.0
LONGEST_PAUSE = 5.0
_DEADLINE = "database.deadline"
_INFRASTRUCTURE = {"database.conflict", _DEADLINE}


class Lost(Exception):
    """Another instance holds the consumer, or has moved on: look again where it is."""


@dataclass(slots=True)
class Patience:
    """How often the event at the head has failed so far. Kept in memory: a restart is one more chance."""

    attempts: dict[str, int] = field(default_factory=dict)
    slow: int = 0  # parked for their slowness since an event was last handled

    @property
    def wary(self) -> bool:
        return bool(self.attempts)

    @property
    def pause(self) -> float:
        tried = min(max(self.attempts.values(), default=1), ATTEMPTS)
        return min(LONGEST_PAUSE, 0.05 * 4.0 ** (tried - 1))

    def allowed(self, *, slow: bool) -> int:
        return min(MOST_ATTEMPTS, ATTEMPTS * 2**self.slow) if slow else ATTEMPTS


def is_infrastructure(error: BaseException) -> bool:
    """Not the event's fault: it is tried again for as long as it takes."""
    if not isinstance(error, ArgosyError):
        return False
    away = error.code.startswith("database.") and isinstance(error, Unavailable)
    return away or error.code in _INFRASTRUCTURE


def _is_deadline(error: Exception) -> bool:
    return isinstance(error, ArgosyError) and error.code == _DEADLINE


async def _survived(tx: Transaction) -> bool:
    """Whether the database still answers in this transaction: then it was the statement that was slow."""
    try:
        return bool(await tx.fetchval("SELECT true"))
    except (ArgosyError, *DRIVER_ERRORS):
        return False


async def handle(consumer: Consumer, tx: Transaction, events: Sequence[Event]) -> None:
    """A handler that hangs counts as one that failed."""
    try:
        async with asyncio.timeout(HANDLE_SECONDS):
            await consumer.handle(tx, events)
    except TimeoutError as error:
        raise DeadlineExceeded(
            f"{consumer.name} took longer than {HANDLE_SECONDS:.0f} s for {len(events)} events",
            code="events.deadline",
            cure="find out what it waits for, then replay the parked events",
        ) from error


@dataclass(frozen=True, slots=True)
class Effects:
    consumer: Consumer
    source: str
    database: Database
    patience: Patience

    async def apply(self, events: Sequence[Delivered], old: Position, end: Position) -> Position:
        """Answers the new position: `end`, or less when it stopped in front of an event that failed."""
        if not self.patience.wary:
            try:
                return await self._together(events, old, end)
            except Lost:
                raise
            except Exception as error:  # whatever a handler raises: which event it was is found out below
                if is_infrastructure(error) and not _is_deadline(error):
                    raise
                log.info("events.batch_failed", consumer=self.consumer.name, error=parking.told(error))
        return await self._one_by_one(events, old, end)

    async def _together(self, events: Sequence[Delivered], old: Position, end: Position) -> Position:
        async with self.database.transaction(self.consumer.accounts) as tx:
            await self._begin(tx)
            fresh = await self._admitted(tx, [delivered.event for delivered in events])
            blocked = await parking.blocked(tx, self.consumer.name, self.source, fresh)
            behind = [event for event in fresh if (event.account, event.key) in blocked]
            await parking.park(tx, self.consumer.name, self.source, behind, parking.WAITS, 0)
            if handled := [event for event in fresh if (event.account, event.key) not in blocked]:
                await handle(self.consumer, tx, handled)
            await self._advance(tx, old, end)
        self._count(handled, behind)
        return end

    async def _one_by_one(self, events: Sequence[Delivered], old: Position, end: Position) -> Position:
        reached, stopped = old, False
        handled: list[Event] = []
        parked: list[Event] = []
        async with self.database.transaction(self.consumer.accounts) as tx:
            await self._begin(tx)
            for delivered in events:
                event = delivered.event
                outcome = await self._alone(tx, event)
                if outcome == "again":
                    stopped = True
                    break
                if outcome != "had":
                    (handled if outcome == "handled" else parked).append(event)
                reached = delivered.position
            reached = reached if stopped else end
            if reached != old:
                await self._advance(tx, old, reached)
        self._count(handled, parked)
        if not stopped:
            self.patience.attempts.clear()
        return reached

    async def _alone(self, tx: Transaction, event: Event) -> Literal["had", "handled", "parked", "again"]:
        name, attempts = self.consumer.name, self.patience.attempts
        if not await self._admitted(tx, [event]):
            return "had"
        if await parking.blocked(tx, name, self.source, [event]):
            await parking.park(tx, name, self.source, [event], parking.WAITS, 0)
            return "parked"
        try:
            async with tx.savepoint():
                await handle(self.consumer, tx, [event])
        except Exception as error:  # whatever a handler raises
            slow = _is_deadline(error)
            if is_infrastructure(error) and not (slow and await _survived(tx)):
                raise
            attempts[event.id] = attempts.get(event.id, 0) + 1
            if attempts[event.id] < self.patience.allowed(slow=slow):
                await self._take_back(tx, event)
                return "again"
            self.patience.slow += slow
            await parking.park(tx, name, self.source, [event], parking.told(error), attempts.pop(event.id))
            log.error("events.parked", consumer=name, id=event.id, type=event.type, error=parking.told(error))
            return "parked"
        attempts.pop(event.id, None)
        self.patience.slow = 0
        return "handled"

    async def _begin(self, tx: Transaction) -> None:
        if not await try_hold(tx, self.consumer.name):
            raise Lost

    async def _advance(self, tx: Transaction, old: Position, new: Position) -> None:
        if not await advance(tx, self.consumer.name, self.source, old, new):
            raise Lost

    async def _admitted(self, tx: Transaction, events: Sequence[Event]) -> list[Event]:
        """Those not handled before, in order, now noted as handled."""
        rows = await tx.fetch(
            "INSERT INTO inbox (consumer, id) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING RETURNING id",
            self.consumer.name, [event.id for event in events],
        )  # fmt: skip
        new = {row["id"] for row in rows}
        return [event for event in events if event.id in new]

    async def _take_back(self, tx: Transaction, event: Event) -> None:
        await tx.execute("DELETE FROM inbox WHERE consumer = $1 AND id = $2", self.consumer.name, event.id)

    def _count(self, handled: Sequence[Event], parked: Sequence[Event]) -> None:
        name, moment = self.consumer.name, now()
        metrics.consumed.labels(name).inc(len(handled))
        metrics.parked.labels(name).inc(len(parked))
        histogram = metrics.delivery.labels(name)
        for event in handled:
            histogram.observe((moment - event.time).total_seconds())
