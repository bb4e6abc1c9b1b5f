"""Users of the active account: who is in it, as what, and out again. There is always an admin left."""

from __future__ import annotations

from argosy.backends.database import EVERY_ACCOUNT, Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import (
    NewUser,
    PasswordReset,
    Revoked,
    User,
    UserChange,
    UserCreated,
    UserQuery,
)
from argosy.contracts.paging import ById, Page
from argosy.kit.calls import Call
from argosy.kit.errors import Conflict, Forbidden
from argosy.kit.operations import Nothing
from argosy.platform.identity import checks
from argosy.platform.identity.administrators import leaving
from argosy.platform.identity.arriving import Arrival
from argosy.platform.identity.joining import already_here, existing_user, join
from argosy.platform.identity.parts import Part, absent
from argosy.platform.identity.resetting import reset
from argosy.platform.identity.store import accounts, keys, people, sessions, teams, users
from argosy.platform.identity.store.people import Person


class Users(Part):
    async def users(self, *, call: Call, request: UserQuery) -> Page[User]:
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            return await users.users(tx, call.account, request)

    async def user(self, *, call: Call, request: ById) -> User:
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            return await existing_user(tx, call.account, request.id)

    async def create_user(self, *, call: Call, request: NewUser) -> UserCreated:
        """The same answer for every e-mail that is not here yet, whoever has it elsewhere: see `arriving`."""
        email, account = checks.email(request.email), call.account
        name = checks.name(request.name) if request.name else email.partition("@")[0]
        arrival = await Arrival.prepared(self._parts, email)
        async with self._parts.database.transaction(EVERY_ACCOUNT) as tx:
            listed = await checks.listed_teams(tx, account, request.teams)
            await accounts.lock_account(tx, account)
            if await users.user_of_email(tx, account, email) is not None:
                raise already_here(email)
            person = await arrival.person(self._parts, tx)
            await join(self._parts, tx, account, person, name, request.role, listed)
            user = await existing_user(tx, account, person.id)
            await self._parts.record(tx, call, Change("user", user.id, user.email, after=user))
        return UserCreated(user, arrival.one_time_password)

    async def change_user(self, *, call: Call, request: UserChange) -> User:
        name = None if request.name is None else checks.name(request.name)
        account, id = call.account, request.id
        database = self._parts.database
        place = leaving(self._parts, account, id) if request.disabled else database.transaction(account)
        async with place as tx:
            await accounts.lock_account(tx, account)
            before = await existing_user(tx, account, id)
            await users.change_member(
                tx, account, id, name=name, role=request.role, disabled=request.disabled
            )
            if request.teams is not None:
                listed = await checks.listed_teams(tx, account, request.teams)
                await teams.set_teams(tx, account, id, listed)
            await self._check_admin_remains(tx, account)
            after = await existing_user(tx, account, id)
            if request.disabled:
                await sessions.end_sessions_in(tx, account, id)
            if (before.role, before.teams, before.status) != (after.role, after.teams, after.status):
                await self._parts.revoke(tx, account, Revoked(principal=id, account=account))
            await self._parts.record(tx, call, Change("user", id, after.email, before=before, after=after))
        return after

    async def remove_user(self, *, call: Call, request: ById) -> Nothing:
        account, id = call.account, request.id
        async with leaving(self._parts, account, id) as tx:
            await accounts.lock_account(tx, account)
            before = await existing_user(tx, account, id)
            await sessions.end_sessions_in(tx, account, id)
            await keys.remove_keys_of(tx, account, id)
            await users.remove_member(tx, account, id)
            await self._check_admin_remains(tx, account)
            await self._parts.revoke(tx, account, Revoked(principal=id, account=account))
            await self._parts.record(tx, call, Change("user", id, before.email, before=before))
        return Nothing()

    async def reset_password(self, *, call: Call, request: ById) -> PasswordReset:
        """Only of somebody who is here alone: an admin's word must not open another account."""

        async def resettable(tx: Transaction) -> Person:
            await existing_user(tx, call.account, request.id)
            person = await people.person_alone(tx, request.id)
            if person is None:
                raise absent("user", request.id)
            elsewhere = await people.is_member_elsewhere(tx, request.id, call.account)
            if (person.platform_admin or elsewhere) and not call.principal.platform_admin:
                raise Forbidden(
                    "the password of this user is not this account's to reset",
                    code="user.shared",
                    cure="the user changes it in the profile, or an administrator of the installation resets it",
                )
            return person

        return await reset(self._parts, call, resettable)

    async def _check_admin_remains(self, tx: Transaction, account: str) -> None:
        """After the change, under the account's lock: of two admins who remove each other at once, one stays."""
        if not await users.has_admin(tx, account):
            raise Conflict(
                "the account would have no admin left",
                code="user.last_admin",
                cure="make somebody else an admin first",
            )
