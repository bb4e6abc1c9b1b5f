"""Sessions: found by the hash of their token, listed and ended by their owner.

Called with a transaction for every account, because a session moves between its owner's accounts.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.backends.database import Keyset, Row, SortColumn, Transaction
from argosy.contracts.identity import Role, SessionInfo
from argosy.contracts.paging import Page, PageRequest
from argosy.platform.identity.store.lists import containing, page_of

_LIST = Keyset(
    {"created": SortColumn("created", "timestamptz"), "last_seen": SortColumn("last_seen", "timestamptz")},
    default="-last_seen",
)


class Session(msgspec.Struct, frozen=True):
    id: str
    account: str
    user: str
    token_hash: bytes
    created: datetime
    expires: datetime
    remote: str
    user_agent: str


class LiveSession(msgspec.Struct, frozen=True):
    """A session that counts, and all that its owner is in the session's account."""

    id: str
    user: str
    account: str
    token_hash: bytes
    last_seen: datetime
    name: str
    role: Role
    must_change_password: bool
    platform_admin: bool
    teams: list[str]


_TEAMS = """ARRAY(
    SELECT t.id FROM teams t WHERE t.account = m.account AND (t.everyone OR EXISTS (
        SELECT FROM team_members tm WHERE tm.team = t.id AND tm.member = m.user_id))
    ORDER BY t.id) AS teams"""


async def add_session(tx: Transaction, session: Session) -> None:
    await tx.execute(
        """INSERT INTO sessions
            (id, account, user_id, token_hash, created, last_seen, expires, remote, user_agent)
        VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8)""",
        session.id,
        session.account,
        session.user,
        session.token_hash,
        session.created,
        session.expires,
        session.remote,
        session.user_agent,
    )


async def live_session(
    tx: Transaction, token_hash: bytes, now: datetime, idle_since: datetime
) -> LiveSession | None:
    row = await tx.fetchrow(
        f"""SELECT s.id, s.user_id, s.account, s.token_hash, s.last_seen, m.name, m.role,
            u.must_change_password, u.platform_admin, {_TEAMS}
        FROM sessions s
        JOIN users u ON u.id = s.user_id
        JOIN memberships m ON m.account = s.account AND m.user_id = s.user_id
        WHERE s.token_hash = $1 AND s.expires > $2 AND s.last_seen > $3 AND NOT m.disabled""",
        token_hash,
        now,
        idle_since,
    )
    return None if row is None else LiveSession(*row.values())


async def sessions_of(
    tx: Transaction, user: str, request: PageRequest, now: datetime, idle_since: datetime, current: str
) -> Page[SessionInfo]:
    def info(row: Row) -> SessionInfo:
        return SessionInfo(
            row["id"],
            row["created"],
            row["last_seen"],
            row["expires"],
            row["remote"],
            row["user_agent"],
            row["id"] == current,
        )

    matching = """SELECT id, created, last_seen, expires, remote, user_agent FROM sessions
        WHERE user_id = $1 AND expires > $2 AND last_seen > $3 AND (remote ILIKE $4 OR user_agent ILIKE $4)"""
    return await page_of(
        tx, _LIST, request, matching, [user, now, idle_since, containing(request.search)], info
    )


async def end_session(tx: Transaction, user: str, id: str) -> str | None:
    """The account in which it was, or None if it is not this user's."""
    account: str | None = await tx.fetchval(
        "DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING account", user, id
    )
    return account


async def end_sessions_of(tx: Transaction, user: str, *, but: str = "") -> list[str]:
    rows = await tx.fetch("DELETE FROM sessions WHERE user_id = $1 AND id <> $2 RETURNING id", user, but)
    return [row["id"] for row in rows]


async def end_sessions_in(tx: Transaction, account: str, user: str) -> None:
    """Those in which the user acts in this account."""
    await tx.execute("DELETE FROM sessions WHERE account = $1 AND user_id = $2", account, user)


async def move_session(tx: Transaction, user: str, id: str, account: str) -> bool:
    return bool(
        await tx.execute("UPDATE sessions SET account = $3 WHERE user_id = $1 AND id = $2", user, id, account)
    )


async def seen(tx: Transaction, moments: list[tuple[str, datetime]]) -> None:
    await tx.executemany("UPDATE sessions SET last_seen = $2 WHERE id = $1 AND last_seen < $2", moments)


async def forget_expired(tx: Transaction, now: datetime, idle_since: datetime) -> None:
    await tx.execute("DELETE FROM sessions WHERE expires < $1 OR last_seen < $2", now, idle_since)
