"""Accounts, the tenants: made by platform admins, named by their own admins. `founding` tells what a new one has."""

from __future__ import annotations

from argosy.backends.database import EVERY_ACCOUNT, Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import (
    Account,
    AccountChange,
    AccountCreated,
    NewAccount,
)
from argosy.contracts.paging import Page, PageRequest
from argosy.kit.calls import Call
from argosy.kit.errors import Conflict
from argosy.kit.operations import Nothing
from argosy.platform.identity import checks
from argosy.platform.identity.arriving import Arrival
from argosy.platform.identity.founding import found
from argosy.platform.identity.parts import Part, absent, person_of
from argosy.platform.identity.store import accounts, people


class Accounts(Part):
    async def accounts(self, *, call: Call, request: PageRequest) -> Page[Account]:
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            return await accounts.accounts(tx, request)

    async def account(self, *, call: Call, request: Nothing) -> Account:
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            return await self._account(tx, call.account)

    async def change_account(self, *, call: Call, request: AccountChange) -> Account:
        """Names of accounts may repeat here: a refusal would tell what other accounts are called."""
        name = None if request.name is None else checks.name(request.name)
        zone = None if request.time_zone is None else checks.time_zone(request.time_zone)
        async with self._parts.database.transaction(call.account) as tx:
            before = await self._account(tx, call.account)
            await accounts.change_account(tx, call.account, name, zone)
            after = await self._account(tx, call.account)
            if (before.name, before.time_zone) != (after.name, after.time_zone):
                await self._parts.account_changed(tx, after)
            await self._parts.record(
                tx, call, Change("account", after.id, after.name, before=before, after=after)
            )
        return after

    async def create_account(self, *, call: Call, request: NewAccount) -> AccountCreated:
        name, zone = checks.name(request.name), checks.time_zone(request.time_zone)
        wanted = None if request.admin_email is None else checks.email(request.admin_email, "admin_email")
        user = person_of(call) if wanted is None else ""
        arrival = None if wanted is None else await Arrival.prepared(self._parts, wanted)
        async with self._parts.database.transaction(EVERY_ACCOUNT) as tx:
            await accounts.lock_installation(tx)
            if await accounts.account_is_named(tx, name):
                raise Conflict(
                    f"there is an account named {name} already",
                    code="account.exists",
                    cure="choose another name",
                    context={"field": "name"},
                )
            if wanted is not None and arrival is not None:
                me = await people.person_by_id(tx, call.principal.id)
                if (
                    me is not None and me.email == wanted
                ):  # who is signed in as that person has nothing to prove
                    user, arrival = me.id, None
                else:
                    user = (await arrival.person(self._parts, tx)).id
            account = await found(self._parts, tx, name, zone, user, _called(call, wanted))
            await self._parts.record(
                tx, call, Change("account", account.id, account.name, after=account, account=account.id)
            )
        once = "" if arrival is None else arrival.one_time_password
        return AccountCreated(
            account.id, account.name, account.time_zone, account.created, account.users, once
        )

    async def _account(self, tx: Transaction, id: str) -> Account:
        found = await accounts.account_of_id(tx, id)
        if found is None:
            raise absent("account", id)
        return found


def _called(call: Call, email: str | None) -> str:
    return call.principal.name if email is None else email.partition("@")[0]
