"""Service accounts of one account: names that own keys, in a role and teams like a user."""

from __future__ import annotations

from datetime import datetime

from argosy.backends.database import Keyset, Row, SortColumn, Transaction
from argosy.contracts.identity import ServiceAccount
from argosy.contracts.paging import Page, PageRequest
from argosy.platform.identity.store.lists import TEAM_NAMES, containing, named, one_of, page_of

_LIST = Keyset(
    {"name": SortColumn("sort_name"), "created": SortColumn("created", "timestamptz")}, default="name"
)
_SERVICE_ACCOUNTS = """
    SELECT account, id, name, lower(name) AS sort_name, role, created FROM service_accounts WHERE account = $1
"""
_EXTRA = f"""
    (SELECT count(*) FROM api_keys k WHERE k.account = page.account AND k.owner = page.id) AS keys, {TEAM_NAMES}
"""


def _service_account(row: Row) -> ServiceAccount:
    return ServiceAccount(
        row["id"], row["name"], row["role"], named(row["teams"]), row["keys"], row["created"]
    )


async def service_accounts(tx: Transaction, account: str, request: PageRequest) -> Page[ServiceAccount]:
    matching = f"{_SERVICE_ACCOUNTS} AND name ILIKE $2"
    values = [account, containing(request.search)]
    return await page_of(tx, _LIST, request, matching, values, _service_account, _EXTRA)


async def service_account_of_id(tx: Transaction, account: str, id: str) -> ServiceAccount | None:
    return await one_of(tx, f"{_SERVICE_ACCOUNTS} AND id = $2", [account, id], _service_account, _EXTRA)


async def add_service_account(
    tx: Transaction, account: str, id: str, name: str, role: str, created: datetime
) -> bool:
    """False if another has the name."""
    return bool(
        await tx.execute(
            """INSERT INTO service_accounts (id, account, name, role, created)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING""",
            id,
            account,
            name,
            role,
            created,
        )
    )


async def change_service_account(
    tx: Transaction, account: str, id: str, name: str | None, role: str | None
) -> None:
    await tx.execute(
        """UPDATE service_accounts SET name = coalesce($3, name), role = coalesce($4, role)
        WHERE account = $1 AND id = $2""",
        account,
        id,
        name,
        role,
    )


async def another_is_named(tx: Transaction, account: str, id: str, name: str) -> bool:
    return bool(
        await tx.fetchval(
            """SELECT EXISTS (SELECT FROM service_accounts
            WHERE account = $1 AND lower(name) = lower($3) AND id <> $2)""",
            account,
            id,
            name,
        )
    )


async def remove_service_account(tx: Transaction, account: str, id: str) -> None:
    await tx.execute("DELETE FROM team_members WHERE account = $1 AND member = $2", account, id)
    await tx.execute("DELETE FROM service_accounts WHERE account = $1 AND id = $2", account, id)
