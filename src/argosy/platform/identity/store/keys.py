"""API keys: found by the hash of the key for every account, managed inside one."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.backends.database import Keyset, Row, SortColumn, Transaction
from argosy.contracts.identity import ApiKey, ApiKeyQuery, NamedRef, Role, Subject
from argosy.contracts.paging import Page
from argosy.platform.identity.store.lists import containing, one_of, page_of

_LIST = Keyset(
    {
        "name": SortColumn("sort_name"),
        "created": SortColumn("created", "timestamptz"),
        "last_used": SortColumn("last_used", "timestamptz", nullable=True),
    },
    default="-created",
)
_OWNER = """
    coalesce(
        (SELECT m.name FROM memberships m WHERE m.account = k.account AND m.user_id = k.owner),
        (SELECT s.name FROM service_accounts s WHERE s.account = k.account AND s.id = k.owner), ''
    )
"""
_KEYS = f"""
    SELECT k.id, k.name, lower(k.name) AS sort_name, k.prefix, k.scopes, k.owner, k.owner_kind, k.created, k.expires,
        k.last_used, {_OWNER} AS owner_name
    FROM api_keys k WHERE k.account = $1
"""


class NewKey(msgspec.Struct, frozen=True):
    id: str
    account: str
    owner: str
    owner_kind: Subject
    name: str
    prefix: str
    key_hash: bytes
    scopes: list[str] | None
    created: datetime
    expires: datetime | None


class LiveKey(msgspec.Struct, frozen=True):
    """A key that counts, and all that its owner is in the key's account."""

    id: str
    account: str
    owner: str
    owner_kind: Subject
    key_hash: bytes
    scopes: list[str] | None
    last_used: datetime | None
    name: str
    role: Role
    platform_admin: bool
    teams: list[str]


def _key(row: Row) -> ApiKey:
    return ApiKey(
        id=row["id"],
        name=row["name"],
        prefix=row["prefix"],
        scopes=row["scopes"],
        owner=NamedRef(row["owner"], row["owner_name"]),
        owner_kind=row["owner_kind"],
        created=row["created"],
        expires=row["expires"],
        last_used=row["last_used"],
    )


async def live_key(tx: Transaction, key_hash: bytes, now: datetime) -> LiveKey | None:
    row = await tx.fetchrow(
        """SELECT k.id, k.account, k.owner, k.owner_kind, k.key_hash, k.scopes, k.last_used,
            coalesce(m.name, s.name), coalesce(m.role, s.role), coalesce(u.platform_admin, false),
            ARRAY(SELECT t.id FROM teams t WHERE t.account = k.account AND (t.everyone OR EXISTS (
                SELECT FROM team_members tm WHERE tm.team = t.id AND tm.member = k.owner)) ORDER BY t.id)
        FROM api_keys k
        LEFT JOIN memberships m
            ON k.owner_kind = 'user' AND m.account = k.account AND m.user_id = k.owner AND NOT m.disabled
        LEFT JOIN users u ON u.id = m.user_id
        LEFT JOIN service_accounts s
            ON k.owner_kind = 'service_account' AND s.account = k.account AND s.id = k.owner
        WHERE k.key_hash = $1 AND (k.expires IS NULL OR k.expires > $2)
            AND (m.user_id IS NOT NULL OR s.id IS NOT NULL)""",
        key_hash,
        now,
    )
    return None if row is None else LiveKey(*row.values())


async def api_keys(tx: Transaction, account: str, owner: str, request: ApiKeyQuery) -> Page[ApiKey]:
    """`owner` empty: everyone's."""
    matching = f"{_KEYS} AND ($2 = '' OR k.owner = $2) AND (k.name ILIKE $3 OR k.prefix ILIKE $3)"
    return await page_of(tx, _LIST, request, matching, [account, owner, containing(request.search)], _key)


async def key_of_id(tx: Transaction, account: str, id: str) -> ApiKey | None:
    return await one_of(tx, f"{_KEYS} AND k.id = $2", [account, id], _key)


async def add_key(tx: Transaction, key: NewKey) -> None:
    await tx.execute(
        """INSERT INTO api_keys
            (id, account, owner, owner_kind, name, prefix, key_hash, scopes, created, expires)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)""",
        *msgspec.structs.astuple(key),
    )


async def remove_key(tx: Transaction, account: str, id: str) -> bool:
    return bool(await tx.execute("DELETE FROM api_keys WHERE account = $1 AND id = $2", account, id))


async def remove_keys_of(tx: Transaction, account: str, owner: str) -> None:
    await tx.execute("DELETE FROM api_keys WHERE account = $1 AND owner = $2", account, owner)


async def used(tx: Transaction, moments: list[tuple[str, datetime]]) -> None:
    await tx.executemany(
        "UPDATE api_keys SET last_used = $2 WHERE id = $1 AND (last_used IS NULL OR last_used < $2)", moments
    )


async def owner_is_here(tx: Transaction, account: str, owner: str) -> bool:
    return bool(
        await tx.fetchval(
            """SELECT EXISTS (SELECT FROM memberships WHERE account = $1 AND user_id = $2 AND NOT disabled)
                OR EXISTS (SELECT FROM service_accounts WHERE account = $1 AND id = $2)""",
            account,
            owner,
        )
    )
