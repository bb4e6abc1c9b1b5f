"""Invitations into an account: open until accepted, withdrawn or expired."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.backends.database import Keyset, Row, SortColumn, Transaction
from argosy.contracts.identity import Invitation, Role
from argosy.contracts.paging import Page, PageRequest
from argosy.platform.identity.store.lists import TEAM_NAMES_BY_ID, containing, named, one_of, page_of

_LIST = Keyset(
    {"email": SortColumn("email"), "created": SortColumn("created", "timestamptz")}, default="-created"
)
_OPEN = """
    SELECT account, id, email, role, teams AS team_ids, invited_by, created, expires
    FROM invitations WHERE account = $1 AND expires > $2
"""


class NewInvitationRow(msgspec.Struct, frozen=True):
    id: str
    account: str
    email: str
    role: Role
    teams: list[str]
    invited_by: str
    token_hash: bytes
    created: datetime
    expires: datetime


class OpenInvitation(msgspec.Struct, frozen=True):
    """What somebody who holds the token may use. It may be a stand-in's one-time password: then `name` is what the
    account calls them, and the id is its."""

    id: str
    account: str
    account_name: str
    email: str
    role: Role
    teams: list[str]
    name: str = ""
    stand_in: bool = False


def _invitation(row: Row) -> Invitation:
    return Invitation(
        row["id"],
        row["email"],
        row["role"],
        named(row["teams"]),
        row["invited_by"],
        row["created"],
        row["expires"],
    )


async def invitations(tx: Transaction, account: str, request: PageRequest, now: datetime) -> Page[Invitation]:
    values = [account, now, containing(request.search)]
    return await page_of(
        tx, _LIST, request, f"{_OPEN} AND email ILIKE $3", values, _invitation, TEAM_NAMES_BY_ID
    )


async def invitation_of_id(tx: Transaction, account: str, id: str, now: datetime) -> Invitation | None:
    return await one_of(tx, f"{_OPEN} AND id = $3", [account, now, id], _invitation, TEAM_NAMES_BY_ID)


async def open_invitation(tx: Transaction, token_hash: bytes, now: datetime) -> OpenInvitation | None:
    """For every account: the token is all there is to go by."""
    row = await tx.fetchrow(
        """SELECT i.id, i.account, a.name, i.email, i.role, i.teams
        FROM invitations i JOIN accounts a ON a.account = i.account
        WHERE i.token_hash = $1 AND i.expires > $2""",
        token_hash,
        now,
    )
    return None if row is None else OpenInvitation(*row.values())


async def put_invitation(tx: Transaction, row: NewInvitationRow) -> None:
    """A second one for the same e-mail replaces the first, whose link stops working."""
    await tx.execute("DELETE FROM invitations WHERE account = $1 AND email = $2", row.account, row.email)
    await tx.execute(
        """INSERT INTO invitations
            (id, account, email, role, teams, invited_by, token_hash, created, expires)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)""",
        *msgspec.structs.astuple(row),
    )


async def remove_invitation(tx: Transaction, account: str, id: str) -> bool:
    """Whoever removes it has it: of two who accept at once, one."""
    return bool(await tx.execute("DELETE FROM invitations WHERE account = $1 AND id = $2", account, id))


async def remove_invitation_of(tx: Transaction, account: str, email: str) -> None:
    await tx.execute("DELETE FROM invitations WHERE account = $1 AND email = $2", account, email)


async def forget_expired(tx: Transaction, now: datetime) -> None:
    await tx.execute("DELETE FROM invitations WHERE expires < $1", now)
