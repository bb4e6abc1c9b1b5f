"""Accounts: the tenants, and the row whose lock orders what must not happen twice at once in one of them."""

from __future__ import annotations

from datetime import datetime

from argosy.backends.database import Keyset, Row, SortColumn, Transaction
from argosy.contracts.identity import Account
from argosy.contracts.paging import Page, PageRequest
from argosy.platform.identity.store.lists import containing, one_of, page_of

_LIST = Keyset(
    {"name": SortColumn("sort_name"), "created": SortColumn("created", "timestamptz")},
    default="name",
    id=SortColumn("id"),
)
_ACCOUNTS = "SELECT account AS id, name, lower(name) AS sort_name, time_zone, created FROM accounts"
_USERS = "(SELECT count(*) FROM memberships m WHERE m.account = page.id) AS users"
_INSTALLATION = 4717  # any number, the same everywhere: one advisory lock for making accounts


def _account(row: Row) -> Account:
    return Account(row["id"], row["name"], row["time_zone"], row["created"], row["users"])


async def lock_installation(tx: Transaction) -> None:
    """Until commit, nobody else makes an account."""
    await tx.execute("SELECT pg_advisory_xact_lock($1)", _INSTALLATION)


async def lock_account(tx: Transaction, account: str) -> None:
    """Until commit, nobody else changes who is an admin of this account, or what its rules are."""
    await tx.execute("SELECT FROM accounts WHERE account = $1 FOR UPDATE", account)


async def accounts(tx: Transaction, request: PageRequest) -> Page[Account]:
    where = f"{_ACCOUNTS} WHERE name ILIKE $1"
    return await page_of(tx, _LIST, request, where, [containing(request.search)], _account, _USERS)


async def account_of_id(tx: Transaction, account: str) -> Account | None:
    return await one_of(tx, f"{_ACCOUNTS} WHERE account = $1", [account], _account, _USERS)


async def account_is_named(tx: Transaction, name: str) -> bool:
    return bool(await tx.fetchval("SELECT EXISTS (SELECT FROM accounts WHERE lower(name) = lower($1))", name))


async def add_account(tx: Transaction, account: str, name: str, time_zone: str, created: datetime) -> None:
    await tx.execute(
        "INSERT INTO accounts (account, name, time_zone, created) VALUES ($1, $2, $3, $4)",
        account,
        name,
        time_zone,
        created,
    )


async def change_account(tx: Transaction, account: str, name: str | None, time_zone: str | None) -> None:
    await tx.execute(
        "UPDATE accounts SET name = coalesce($2, name), time_zone = coalesce($3, time_zone) WHERE account = $1",
        account,
        name,
        time_zone,
    )
