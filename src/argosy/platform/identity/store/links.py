"""Single-use sign-in links, by the hash of their token."""

from __future__ import annotations

from datetime import datetime

from argosy.backends.database import Transaction


async def add_link(tx: Transaction, token_hash: bytes, user: str, expires: datetime) -> None:
    await tx.execute(
        "INSERT INTO links (token_hash, user_id, expires) VALUES ($1, $2, $3)", token_hash, user, expires
    )


async def take_link(tx: Transaction, token_hash: bytes, now: datetime) -> str:
    """Whose it was, once; empty if there is none or it came too late."""
    row = await tx.fetchrow("DELETE FROM links WHERE token_hash = $1 RETURNING user_id, expires", token_hash)
    return row["user_id"] if row is not None and row["expires"] > now else ""


async def remove_links(tx: Transaction, user: str) -> None:
    await tx.execute("DELETE FROM links WHERE user_id = $1", user)


async def forget_expired(tx: Transaction, now: datetime) -> None:
    await tx.execute("DELETE FROM links WHERE expires < $1", now)
