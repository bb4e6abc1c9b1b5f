"""The rows of `dead_letters`: which keys are blocked, and how an event gets there.

A key is blocked per consumer, source and account: what one account's event breaks, no other account waits for.
`effects` parks, `dead_letters` lists and replays.
"""

from __future__ import annotations

from collections.abc import Sequence

from argosy.backends.database import Transaction
from argosy.contracts.events import Event
from argosy.kit.errors import ArgosyError
from argosy.kit.log import mask_text

WAITS = "waits behind an earlier event of its key"
_ERROR_LENGTH = 1000


def told(error: BaseException) -> str:
    """Short, without secrets, and something PostgreSQL can store: it is shown to people and kept."""
    text = (
        f"{error.code}: {error.told}"
        if isinstance(error, ArgosyError)
        else f"{type(error).__name__}: {error}"
    )
    storable = text.encode("utf-8", "backslashreplace").decode().replace("\x00", "")
    return mask_text(storable)[:_ERROR_LENGTH]


async def blocked(
    tx: Transaction, consumer: str, source: str, events: Sequence[Event]
) -> set[tuple[str, str]]:
    """The (account, key) pairs among those of `events` that have a parked event."""
    if not events:
        return set()
    rows = await tx.fetch(
        """
        SELECT DISTINCT account, key FROM dead_letters
        WHERE consumer = $1 AND source = $2 AND (account, key) IN (SELECT * FROM unnest($3::text[], $4::text[]))
        """,
        consumer, source, [event.account for event in events], [event.key for event in events],
    )  # fmt: skip
    return {(row["account"], row["key"]) for row in rows}


async def park(
    tx: Transaction, consumer: str, source: str, events: Sequence[Event], error: str, attempts: int
) -> None:
    await tx.executemany(
        """
        INSERT INTO dead_letters (consumer, source, id, type, account, key, time, body, error, attempts)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """,
        [
            (consumer, source, event.id, event.type, event.account, event.key, event.time,
             bytes(event.body).decode(), error, attempts)
            for event in events
        ],
    )  # fmt: skip
