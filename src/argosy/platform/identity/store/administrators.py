"""Administrators of the installation. A transaction for every account: they belong to none."""

from __future__ import annotations

from typing import Literal

from argosy.backends.database import Keyset, Row, SortColumn, Transaction
from argosy.contracts.identity import Administrator
from argosy.contracts.paging import Page, PageRequest
from argosy.platform.identity.store.lists import containing, one_of, page_of

_LIST = Keyset(
    {
        "name": SortColumn("sort_name"),
        "email": SortColumn("email"),
        "last_seen": SortColumn("last_seen", "timestamptz", nullable=True),
    },
    default="name",
)
# What they are called and whether they can sign in comes from the account they used last.
_ADMINISTRATORS = """
    SELECT u.id, u.email, coalesce(m.name, u.email) AS name, lower(coalesce(m.name, u.email)) AS sort_name,
        coalesce(m.disabled, true) AS disabled, m.last_seen
    FROM users u LEFT JOIN LATERAL (
        SELECT name, disabled, last_seen FROM memberships WHERE user_id = u.id
        ORDER BY disabled, last_seen DESC NULLS LAST, created, account LIMIT 1
    ) m ON true
    WHERE u.platform_admin
"""


def _administrator(row: Row) -> Administrator:
    seen = row["last_seen"]
    status: Literal["active", "invited", "disabled"] = (
        "disabled" if row["disabled"] else "invited" if seen is None else "active"
    )
    return Administrator(row["id"], row["name"], row["email"], status, seen)


async def administrators(tx: Transaction, request: PageRequest) -> Page[Administrator]:
    matching = f"{_ADMINISTRATORS} AND (m.name ILIKE $1 OR u.email ILIKE $1)"
    return await page_of(tx, _LIST, request, matching, [containing(request.search)], _administrator)


async def administrator_of_id(tx: Transaction, id: str) -> Administrator | None:
    return await one_of(tx, f"{_ADMINISTRATORS} AND u.id = $1", [id], _administrator)


async def set_administrator(tx: Transaction, user: str, administers: bool) -> bool:
    """False if it was so already. Waits for whoever holds the person (`people.person_held`)."""
    return bool(
        await tx.execute(
            "UPDATE users SET platform_admin = $2 WHERE id = $1 AND platform_admin <> $2", user, administers
        )
    )
