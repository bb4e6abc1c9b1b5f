"""People as the installation knows them: e-mail, password hash, and the accounts they are members of.

Called with a transaction for every account, except `add_person`, which runs inside the account that adds somebody.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from argosy.backends.database import Row, Transaction

Role = Literal["admin", "user"]


class Person(msgspec.Struct, frozen=True):
    id: str
    email: str
    password_hash: str
    must_change_password: bool
    platform_admin: bool
    time_zone: str


class Membership(msgspec.Struct, frozen=True):
    account: str
    account_name: str
    name: str
    role: Role


_PERSON = "SELECT id, email, password_hash, must_change_password, platform_admin, time_zone FROM users"


def _person(row: Row | None) -> Person | None:
    return None if row is None else Person(*row.values())


async def person_by_email(tx: Transaction, email: str) -> Person | None:
    """Who signs in with it: never a stand-in."""
    return _person(await tx.fetchrow(f"{_PERSON} WHERE email = $1 AND join_hash IS NULL", email))


async def person_alone_by_email(tx: Transaction, email: str) -> Person | None:
    """As `person_alone`."""
    return _person(await tx.fetchrow(f"{_PERSON} WHERE email = $1 AND join_hash IS NULL FOR UPDATE", email))


async def person_by_id(tx: Transaction, id: str) -> Person | None:
    return _person(await tx.fetchrow(f"{_PERSON} WHERE id = $1", id))


async def person_held(tx: Transaction, id: str) -> Person | None:
    """Until commit nobody changes the password: a session that is being opened cannot slip past a reset."""
    return _person(await tx.fetchrow(f"{_PERSON} WHERE id = $1 FOR SHARE", id))


async def person_alone(tx: Transaction, id: str) -> Person | None:
    """Until commit nobody changes the person, nor lets them into another account (which refers to this row)."""
    return _person(await tx.fetchrow(f"{_PERSON} WHERE id = $1 FOR UPDATE", id))


async def first_platform_admin(tx: Transaction) -> Person | None:
    """Of those that can still sign in somewhere."""
    return _person(
        await tx.fetchrow(
            f"""{_PERSON} AS u WHERE platform_admin
            AND EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id AND NOT m.disabled)
            ORDER BY created, id LIMIT 1"""
        )
    )


async def never_signed_in(tx: Transaction) -> Person | None:
    """The first administrator, for as long as nobody has been here and the password is the one that a start made up."""
    return _person(
        await tx.fetchrow(
            f"""{_PERSON} AS u WHERE first_password
            AND EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id AND NOT m.disabled)
            AND NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id AND m.last_seen IS NOT NULL)
            FOR UPDATE"""
        )
    )


async def any_person(tx: Transaction) -> bool:
    return bool(await tx.fetchval("SELECT EXISTS (SELECT FROM users)"))


async def memberships_of(tx: Transaction, user: str) -> list[Membership]:
    """Those in which the user may act, the one used last first."""
    rows = await tx.fetch(
        """SELECT m.account, a.name AS account_name, m.name, m.role
        FROM memberships m JOIN accounts a ON a.account = m.account
        WHERE m.user_id = $1 AND NOT m.disabled
        ORDER BY m.last_seen DESC NULLS LAST, m.created, m.account""",
        user,
    )
    return [Membership(*row.values()) for row in rows]


async def is_member(tx: Transaction, user: str) -> bool:
    """Of any account, disabled there or not."""
    return await is_member_elsewhere(tx, user, "")


async def is_member_elsewhere(tx: Transaction, user: str, account: str) -> bool:
    return bool(
        await tx.fetchval(
            "SELECT EXISTS (SELECT FROM memberships WHERE user_id = $1 AND account <> $2)", user, account
        )
    )


async def add_person(
    tx: Transaction,
    person: Person,
    created: datetime,
    *,
    first_password: bool = False,
    join_hash: bytes | None = None,
) -> bool:
    """False if the e-mail is somebody's already. With a `join_hash`: a stand-in for them."""
    return bool(
        await tx.execute(
            """INSERT INTO users (id, email, password_hash, must_change_password, platform_admin, time_zone, created,
                first_password, join_hash)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING""",
            person.id,
            person.email,
            person.password_hash,
            person.must_change_password,
            person.platform_admin,
            person.time_zone,
            created,
            first_password,
            join_hash,
        )
    )


async def forget(tx: Transaction, user: str) -> None:
    """Somebody who is in no account, under the lock of `person_alone_by_email`."""
    for table in ("links", "sessions"):
        await tx.execute(f"DELETE FROM {table} WHERE user_id = $1", user)
    await tx.execute("DELETE FROM users WHERE id = $1", user)


async def set_password(
    tx: Transaction, user: str, password_hash: str, *, must_change: bool, first: bool = False
) -> None:
    """`first`: it is still one that a start of the platform made up."""
    await tx.execute(
        "UPDATE users SET password_hash = $2, must_change_password = $3, first_password = $4 WHERE id = $1",
        user,
        password_hash,
        must_change,
        first,
    )


async def change_profile(tx: Transaction, user: str, name: str | None, time_zone: str | None) -> None:
    """One's own name goes to all of one's accounts."""
    if name is not None:
        await tx.execute("UPDATE memberships SET name = $2 WHERE user_id = $1", user, name)
    if time_zone is not None:
        await tx.execute("UPDATE users SET time_zone = $2 WHERE id = $1", user, time_zone)
