"""Counts of failed attempts. Rows are locked in one order, so that two attempts never wait for each other in a ring."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from argosy.backends.database import Transaction
from argosy.platform.identity.throttle import Count


async def locked_counts(tx: Transaction, keys: Sequence[str], now: datetime) -> dict[str, Count]:
    """The counts, held until commit."""
    await tx.execute(
        """INSERT INTO throttles (key, failures, last) SELECT unnest($1::text[]), 0, $2
        ON CONFLICT DO NOTHING""",
        sorted(keys),
        now,
    )
    rows = await tx.fetch(
        "SELECT key, failures, last, locked_until FROM throttles WHERE key = ANY($1::text[]) ORDER BY key FOR UPDATE",
        list(keys),
    )
    return {row["key"]: Count(row["failures"], row["last"], row["locked_until"]) for row in rows}


async def keep(tx: Transaction, key: str, count: Count) -> None:
    await tx.execute(
        "UPDATE throttles SET failures = $2, last = coalesce($3, last), locked_until = $4 WHERE key = $1",
        key,
        count.failures,
        count.last,
        count.locked_until,
    )


async def clear(tx: Transaction, key: str) -> None:
    await tx.execute("DELETE FROM throttles WHERE key = $1", key)


async def forget_before(tx: Transaction, moment: datetime) -> int:
    """Only what is quiet and open: a lock is never forgotten early."""
    return await tx.execute(
        "DELETE FROM throttles WHERE last < $1 AND (locked_until IS NULL OR locked_until < $1)", moment
    )
