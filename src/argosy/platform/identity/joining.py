"""Somebody joins the active account: added by an admin (`users`), or by an invitation (`invitations`)."""

from __future__ import annotations

from argosy.backends.database import Transaction
from argosy.contracts.identity import User
from argosy.kit.errors import Conflict
from argosy.platform.identity.parts import Parts, absent
from argosy.platform.identity.store import invitations, teams, users
from argosy.platform.identity.store.people import Person


async def join(
    parts: Parts, tx: Transaction, account: str, person: Person, name: str, role: str, listed: list[str]
) -> None:
    if not await users.add_member(tx, account, person.id, name, role, parts.clock()):
        raise already_here(person.email)
    await teams.set_teams(tx, account, person.id, listed)
    await invitations.remove_invitation_of(tx, account, person.email)


async def existing_user(tx: Transaction, account: str, id: str) -> User:
    found = await users.user_of_id(tx, account, id)
    if found is None:
        raise absent("user", id)
    return found


def already_here(email: str) -> Conflict:
    return Conflict(
        f"{email} is a user of this account already",
        code="user.exists",
        cure="change the user instead",
        context={"field": "email"},
    )
