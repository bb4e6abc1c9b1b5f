"""A consumer as data, and what a transport must do with it.

`handle` gets a transaction of the consumer's own database and events in order; it writes its effect with that
transaction and nothing else. It may be called again with the same events after any failure, and never has been
committed twice. What has an effect outside the database belongs into a task that the handler writes down.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction
from argosy.contracts.events import Event
from argosy.kit.errors import Internal

Handle = Callable[[Transaction, Sequence[Event]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Consumer:
    """`types` are exact, or prefixes such as `identity.*`. The name is for ever: the position is kept under it."""

    name: str
    types: tuple[str, ...]
    handle: Handle
    batch: int = 200
    accounts: str = EVERY_ACCOUNT

    def __post_init__(self) -> None:
        if not self.name or not self.types or self.batch < 1:
            raise Internal("a consumer has a name, event types and a batch", code="events.consumer")

    @property
    def exact(self) -> list[str]:
        return [name for name in self.types if not name.endswith("*")]

    @property
    def prefixes(self) -> list[str]:
        return [name.removesuffix("*") for name in self.types if name.endswith("*")]

    def wants(self, types: Iterable[str]) -> bool:
        exact, prefixes = self.exact, tuple(self.prefixes)
        return any(name in exact or name.startswith(prefixes) for name in types)


class EventTransport(Protocol):
    async def run(
        self, consumer: Consumer, database: Database, *, ready: asyncio.Event | None = None
    ) -> None:
        """Delivers until cancelled. `database` is the consumer's own; `ready` is set once it follows its sources.

        What it holds open towards the sources goes with the last consumer.
        """
