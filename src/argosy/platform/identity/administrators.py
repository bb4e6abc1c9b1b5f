"""Administrators of the installation: added and removed by one another, and never all gone.

Whatever could end the last one's (their removal here, or the loss of their last account in `users`) happens under the
installation's lock and is checked after the change, so of two who remove each other at once one stays.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from argosy.backends.database import EVERY_ACCOUNT, Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import Administrator, NewAdministrator, Revoked
from argosy.contracts.paging import ById, Page, PageRequest
from argosy.kit.calls import Call
from argosy.kit.errors import Conflict, Invalid
from argosy.kit.operations import Nothing
from argosy.platform.identity import checks
from argosy.platform.identity.parts import Part, Parts, absent
from argosy.platform.identity.store import accounts, people
from argosy.platform.identity.store import administrators as store


class Administrators(Part):
    async def administrators(self, *, call: Call, request: PageRequest) -> Page[Administrator]:
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            return await store.administrators(tx, request)

    async def add_administrator(self, *, call: Call, request: NewAdministrator) -> Administrator:
        email = checks.email(request.email)
        async with self._parts.database.transaction(EVERY_ACCOUNT) as tx:
            await accounts.lock_installation(tx)
            person = await people.person_by_email(tx, email)
            if person is None:
                raise _unknown(email)
            if not await store.set_administrator(tx, person.id, True):
                raise Conflict(
                    f"{email} administers the installation already",
                    code="administrator.exists",
                    context={"field": "email"},
                )
            made = await store.administrator_of_id(tx, person.id)
            if made is None or made.status == "disabled":
                raise _unknown(email)  # nobody who could not sign in
            await self._parts.revoke(tx, call.account, Revoked(principal=person.id))
            await self._parts.record(tx, call, Change("administrator", made.id, made.email, after=made))
        return made

    async def remove_administrator(self, *, call: Call, request: ById) -> Nothing:
        async with self._parts.database.transaction(EVERY_ACCOUNT) as tx:
            await accounts.lock_installation(tx)
            before = await store.administrator_of_id(tx, request.id)
            if before is None:
                raise absent("administrator", request.id)
            await store.set_administrator(tx, before.id, False)
            await _check_one_remains(tx)
            await self._parts.revoke(tx, call.account, Revoked(principal=before.id))
            await self._parts.record(
                tx, call, Change("administrator", before.id, before.email, before=before)
            )
        return Nothing()


@asynccontextmanager
async def leaving(parts: Parts, account: str, user: str) -> AsyncIterator[Transaction]:
    """A transaction in which somebody loses an account.

    For an administrator of the installation it spans all accounts, since it asks who else there is; what is done in it
    names the account all the same. Others it holds, so that nobody makes them an administrator meanwhile.
    """
    async with parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
        person = await people.person_by_id(tx, user)
    if person is not None and person.platform_admin:
        async with parts.database.transaction(EVERY_ACCOUNT) as tx:
            await accounts.lock_installation(tx)
            yield tx
            await _check_one_remains(tx)
        return
    async with parts.database.transaction(account) as tx:
        held = await people.person_held(tx, user)
        if held is not None and held.platform_admin:
            raise Conflict(
                f"{held.email} has just become an administrator", code="database.conflict", cure="try again"
            )
        yield tx


async def _check_one_remains(tx: Transaction) -> None:
    if await people.first_platform_admin(tx) is None:
        raise Conflict(
            "the installation would have no administrator left who can sign in",
            code="user.last_admin",
            cure="another administrator of the installation, or another account of this one, is needed first",
        )


def _unknown(email: str) -> Invalid:
    return Invalid(
        f"{email} is no active user of any account",
        code="user.unknown",
        cure="add them as a user of an account first",
        context={"field": "email"},
    )
