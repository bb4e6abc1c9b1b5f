"""Users of one account: who is a member, in which role and teams."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from argosy.backends.database import Keyset, Row, SortColumn, Transaction
from argosy.contracts.identity import User, UserQuery
from argosy.contracts.paging import Page
from argosy.platform.identity.store.lists import TEAM_NAMES, containing, named, one_of, page_of

_LIST = Keyset(
    {
        "name": SortColumn("sort_name"),
        "email": SortColumn("email"),
        "created": SortColumn("created", "timestamptz"),
        "last_seen": SortColumn("last_seen", "timestamptz", nullable=True),
    },
    default="name",
)
_USERS = """
    SELECT m.account, u.id, m.name, lower(m.name) AS sort_name, u.email, m.role, m.disabled, m.created, m.last_seen
    FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account = $1
"""


def _user(row: Row) -> User:
    seen = row["last_seen"]
    status: Literal["active", "invited", "disabled"] = (
        "disabled" if row["disabled"] else "invited" if seen is None else "active"
    )
    return User(
        row["id"], row["name"], row["email"], row["role"], named(row["teams"]), status, row["created"], seen
    )


async def users(tx: Transaction, account: str, request: UserQuery) -> Page[User]:
    matching = f"""{_USERS}
        AND (m.name ILIKE $2 OR u.email ILIKE $2)
        AND ($3 = '' OR m.role = $3)
        AND ($4 = '' OR EXISTS (
            SELECT FROM teams t WHERE t.account = $1 AND t.id = $4 AND (t.everyone OR EXISTS (
                SELECT FROM team_members tm WHERE tm.team = t.id AND tm.member = u.id))))
    """
    values = [account, containing(request.search), request.role, request.team]
    return await page_of(tx, _LIST, request, matching, values, _user, TEAM_NAMES)


async def user_of_id(tx: Transaction, account: str, id: str) -> User | None:
    return await one_of(tx, f"{_USERS} AND u.id = $2", [account, id], _user, TEAM_NAMES)


async def user_of_email(tx: Transaction, account: str, email: str) -> User | None:
    return await one_of(tx, f"{_USERS} AND u.email = $2", [account, email], _user, TEAM_NAMES)


async def add_member(
    tx: Transaction, account: str, user: str, name: str, role: str, created: datetime
) -> bool:
    """False if the user is a member already."""
    return bool(
        await tx.execute(
            """INSERT INTO memberships (account, user_id, name, role, created)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING""",
            account,
            user,
            name,
            role,
            created,
        )
    )


async def change_member(
    tx: Transaction, account: str, user: str, *, name: str | None, role: str | None, disabled: bool | None
) -> None:
    await tx.execute(
        """UPDATE memberships SET name = coalesce($3, name), role = coalesce($4, role),
            disabled = coalesce($5, disabled)
        WHERE account = $1 AND user_id = $2""",
        account,
        user,
        name,
        role,
        disabled,
    )


async def remove_member(tx: Transaction, account: str, user: str) -> None:
    await tx.execute("DELETE FROM team_members WHERE account = $1 AND member = $2", account, user)
    await tx.execute("DELETE FROM memberships WHERE account = $1 AND user_id = $2", account, user)


async def has_admin(tx: Transaction, account: str) -> bool:
    """Asked after a change, under `accounts.lock_account`. Who was added and has not come yet may never come, and a
    stand-in must not be told from somebody new by this."""
    return bool(
        await tx.fetchval(
            """SELECT EXISTS (SELECT FROM memberships
            WHERE account = $1 AND role = 'admin' AND NOT disabled AND last_seen IS NOT NULL)""",
            account,
        )
    )


async def seen(tx: Transaction, moments: list[tuple[str, str, datetime]]) -> None:
    """(account, user, when): only forwards."""
    await tx.executemany(
        """UPDATE memberships SET last_seen = $3
        WHERE account = $1 AND user_id = $2 AND (last_seen IS NULL OR last_seen < $3)""",
        moments,
    )
