"""How far a consumer has come, kept in its own database and moved in the transaction of the effect.

`effects` moves it, `postgres` reads it. The compare-and-swap makes it the fence: of two instances that handle the
same events only one can commit. The advisory lock beside it only spares the second one the work.
"""

from __future__ import annotations

import msgspec

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction

_LOCK = "hashtextextended('argosy.consumer.' || current_schema() || '.' || $1, 0)"


class Position(msgspec.Struct, frozen=True, order=True):
    """In one source. Numbers of different epochs are not comparable: the source was restored in between."""

    epoch: str
    seq: int


START = Position("", 0)


async def stored(database: Database, consumer: str, source: str) -> Position:
    async with database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
        row = await tx.fetchrow(
            "SELECT epoch, seq FROM event_cursors WHERE consumer = $1 AND source = $2", consumer, source
        )
    return Position(row["epoch"], row["seq"]) if row else START


async def advance(tx: Transaction, consumer: str, source: str, old: Position, new: Position) -> bool:
    """False where the stored position is not `old`: another instance has been here."""
    moved = await tx.execute(
        """
        INSERT INTO event_cursors AS kept (consumer, source, epoch, seq) VALUES ($1, $2, $3, $4)
        ON CONFLICT (consumer, source) DO UPDATE SET epoch = $3, seq = $4 WHERE kept.epoch = $5 AND kept.seq = $6
        """,
        consumer, source, new.epoch, new.seq, old.epoch, old.seq,
    )  # fmt: skip
    return moved > 0


async def try_hold(tx: Transaction, consumer: str) -> bool:
    """Until the end of `tx`: the one active instance of this consumer. False: another one is at work."""
    return bool(await tx.fetchval(f"SELECT pg_try_advisory_xact_lock({_LOCK})", consumer))


async def hold(tx: Transaction, consumer: str) -> None:
    """As `try_hold`, but waits for the other one's batch to end."""
    await tx.fetchval(f"SELECT pg_advisory_xact_lock({_LOCK})", consumer)


async def rewind(database: Database, consumer: str) -> None:
    """The consumer starts again from all that is kept: for a read model that its owner has emptied to rebuild it."""
    async with database.transaction(EVERY_ACCOUNT) as tx:
        await hold(tx, consumer)
        await tx.execute("DELETE FROM event_cursors WHERE consumer = $1", consumer)
        await tx.execute("DELETE FROM inbox WHERE consumer = $1", consumer)
        await tx.execute("DELETE FROM dead_letters WHERE consumer = $1", consumer)
