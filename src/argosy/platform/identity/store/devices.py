"""Devices that a person has signed in from, by the hash of their cookie's token. For every account: they are a person's."""

from __future__ import annotations

from datetime import datetime

from argosy.backends.database import Transaction


async def is_device_of(tx: Transaction, token_hash: bytes, email: str, used_since: datetime) -> bool:
    return bool(
        await tx.fetchval(
            """SELECT EXISTS (SELECT FROM devices d JOIN users u ON u.id = d.user_id
            WHERE d.token_hash = $1 AND u.email = $2 AND u.join_hash IS NULL AND d.last_used > $3)""",
            token_hash,
            email,
            used_since,
        )
    )


async def touch(tx: Transaction, token_hash: bytes, user: str, now: datetime) -> bool:
    """False if it is not this person's."""
    return bool(
        await tx.execute(
            "UPDATE devices SET last_used = $3 WHERE token_hash = $1 AND user_id = $2", token_hash, user, now
        )
    )


async def add_device(tx: Transaction, token_hash: bytes, user: str, now: datetime, most: int) -> None:
    """A person has the `most` that were used last: each is an allowance of guesses, so there must not be any number."""
    await tx.execute(
        "INSERT INTO devices (token_hash, user_id, last_used) VALUES ($1, $2, $3)", token_hash, user, now
    )
    await tx.execute(
        """DELETE FROM devices WHERE user_id = $1 AND token_hash NOT IN (
            SELECT token_hash FROM devices WHERE user_id = $1 ORDER BY last_used DESC, token_hash LIMIT $2)""",
        user,
        most,
    )


async def forget_unused(tx: Transaction, since: datetime) -> None:
    await tx.execute("DELETE FROM devices WHERE last_used < $1", since)
