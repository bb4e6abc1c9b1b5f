"""What could not be handled, for an operator: list it, mend the cause, replay it in order.

`effects` parks events here. A replay is serialised with the consumer's own work, so that order per key holds.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

import msgspec

from argosy.backends.database import EVERY_ACCOUNT, Database, Keyset, Row, SortColumn, Transaction
from argosy.backends.events import parking
from argosy.backends.events.consumer import Consumer
from argosy.backends.events.effects import handle, is_infrastructure
from argosy.backends.events.progress import hold
from argosy.contracts.events import Event
from argosy.contracts.paging import Page
from argosy.kit.log import get_logger

log = get_logger(__name__)

_ORDER = Keyset({"number": SortColumn("number", "bigint")}, "number", SortColumn("number", "bigint"))
_LIST = """
SELECT * FROM dead_letters WHERE ($1 = '' OR consumer = $1) AND ($2 = '' OR key = $2) AND {condition}
ORDER BY {order} LIMIT $3
"""


class DeadLetter(msgspec.Struct, frozen=True):
    """`attempts` is 0 for an event that only waits behind another one of its key."""

    consumer: str
    source: str
    event: Event
    error: str
    attempts: int
    parked: datetime


Note = Callable[[Transaction, DeadLetter], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """`database` is the consumer's. `account` narrows what is seen to one account's events."""

    database: Database
    account: str = EVERY_ACCOUNT

    async def list(
        self, *, consumer: str = "", key: str = "", after: str = "", limit: int = 50
    ) -> Page[DeadLetter]:
        """In the order in which they were parked. Empty `consumer` and `key` mean all."""
        plan = _ORDER.plan(sort="", after=after, limit=limit, first_parameter=4)
        async with self.database.transaction(self.account, read_only=True) as tx:
            rows = await tx.fetch(
                _LIST.format(condition=plan.condition, order=plan.order),
                consumer, key, plan.limit, *plan.parameters,
            )  # fmt: skip
        items, following = plan.page(rows, _letter)
        return Page(items, following)

    async def replay(self, consumer: Consumer, key: str) -> int:
        """Handles the parked events of `key` in order; how many succeeded. One that fails stays, with those behind it."""
        async with self.database.transaction(self.account, read_only=True) as tx:
            groups = await tx.fetch(
                "SELECT DISTINCT source, account FROM dead_letters WHERE consumer = $1 AND key = $2",
                consumer.name, key,
            )  # fmt: skip
        done = 0
        for group in groups:
            while await self._replay_first(consumer, key, group["source"], group["account"]):
                done += 1
        return done

    async def discard(self, consumer: str, event_id: str, note: Note | None = None) -> DeadLetter | None:
        """Gives one event up for good; those behind it can then be replayed. None: it is not parked. `note` writes down
        who did it, in the same transaction."""
        async with self.database.transaction(self.account) as tx:
            await hold(tx, consumer)
            row = await tx.fetchrow(
                "DELETE FROM dead_letters WHERE consumer = $1 AND id = $2 RETURNING *", consumer, event_id
            )
            letter = None if row is None else _letter(row)
            if letter is not None and note is not None:
                await note(tx, letter)
        log.warning("events.discarded", consumer=consumer, id=event_id, found=letter is not None)
        return letter

    async def _replay_first(self, consumer: Consumer, key: str, source: str, account: str) -> bool:
        async with self.database.transaction(consumer.accounts) as tx:
            await hold(tx, consumer.name)
            row = await tx.fetchrow(
                """
                SELECT * FROM dead_letters
                WHERE consumer = $1 AND key = $2 AND source = $3 AND account = $4 ORDER BY number LIMIT 1
                """,
                consumer.name, key, source, account,
            )  # fmt: skip
            return row is not None and await _handled(tx, consumer, row)


async def _handled(tx: Transaction, consumer: Consumer, row: Row) -> bool:
    try:
        async with tx.savepoint():
            await handle(consumer, tx, [_letter(row).event])
    except Exception as error:  # whatever a handler raises: the event stays where it is, and says why
        if is_infrastructure(error):
            raise
        await tx.execute(
            "UPDATE dead_letters SET error = $2, attempts = attempts + 1 WHERE number = $1",
            row["number"], parking.told(error),
        )  # fmt: skip
        return False
    await tx.execute("DELETE FROM dead_letters WHERE number = $1", row["number"])
    return True


def _letter(row: Row) -> DeadLetter:
    event = Event(
        row["id"], row["type"], row["account"], row["key"], row["time"], msgspec.Raw(row["body"].encode())
    )
    return DeadLetter(row["consumer"], row["source"], event, row["error"], row["attempts"], row["parked"])
