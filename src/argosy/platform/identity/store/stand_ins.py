"""Stand-ins: places in an account that wait for a known person to take them (`arriving` tells why). For every account."""

from __future__ import annotations

import msgspec

from argosy.backends.database import Transaction
from argosy.contracts.identity import Role


class StandIn(msgspec.Struct, frozen=True):
    id: str
    account: str
    account_name: str
    email: str
    name: str
    role: Role


_OPEN = """
    SELECT u.id, m.account, a.name AS account_name, u.email, m.name, m.role
    FROM users u JOIN memberships m ON m.user_id = u.id AND NOT m.disabled JOIN accounts a ON a.account = m.account
    WHERE u.join_hash = $1
"""


async def open_stand_in(tx: Transaction, join_hash: bytes) -> StandIn | None:
    row = await tx.fetchrow(_OPEN, join_hash)
    return None if row is None else StandIn(*row.values())


async def opens(tx: Transaction, email: str, join_hash: bytes) -> bool:
    """Whether this is the one-time password of a place that waits for the person with this e-mail."""
    return bool(await tx.fetchval(f"SELECT EXISTS ({_OPEN} AND u.email = $2)", join_hash, email))


async def make_stand_in(tx: Transaction, user: str, join_hash: bytes) -> None:
    """With another one-time password, if it is one already."""
    await tx.execute("UPDATE users SET join_hash = $2 WHERE id = $1", user, join_hash)


async def is_stand_in(tx: Transaction, user: str) -> bool:
    return bool(
        await tx.fetchval("SELECT EXISTS (SELECT FROM users WHERE id = $1 AND join_hash IS NOT NULL)", user)
    )


async def hold(tx: Transaction, user: str, join_hash: bytes) -> bool:
    """Until commit nobody else takes it, nor gives it another password. False: somebody has."""
    row = await tx.fetchrow(
        "SELECT id FROM users WHERE id = $1 AND join_hash = $2 FOR UPDATE", user, join_hash
    )
    return row is not None


async def replace(tx: Transaction, account: str, stand_in: str, person: str) -> None:
    """The person gets its place, role and teams; it is gone."""
    for statement in (
        "UPDATE team_members SET member = $3 WHERE account = $1 AND member = $2",
        "UPDATE memberships SET user_id = $3 WHERE account = $1 AND user_id = $2",
    ):
        await tx.execute(statement, account, stand_in, person)
    await tx.execute("DELETE FROM users WHERE id = $1", stand_in)


async def forget_removed(tx: Transaction) -> None:
    """Those that were taken out of their account again."""
    await tx.execute(
        """DELETE FROM users u WHERE join_hash IS NOT NULL
        AND NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id)"""
    )
