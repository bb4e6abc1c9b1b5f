"""What a caller may see and change of themselves: profile, password, active account, sessions."""

from __future__ import annotations

from argosy.backends.database import EVERY_ACCOUNT, Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import (
    Me,
    MyAccount,
    PasswordChange,
    ProfileChange,
    Revoked,
    SessionInfo,
    SwitchAccount,
)
from argosy.contracts.paging import ById, Page, PageRequest
from argosy.kit.calls import Call
from argosy.kit.errors import NotFound, Unauthenticated
from argosy.kit.operations import Nothing
from argosy.platform.identity import checks, passwords
from argosy.platform.identity.parts import Part, absent, person_of, session_of
from argosy.platform.identity.store import accounts, links, people, service_accounts, sessions, teams
from argosy.platform.identity.store.people import Person


class MyThings(Part):
    async def me(self, *, call: Call, request: Nothing) -> Me:
        if call.principal.kind == "service_account":
            return await self._machine(call)
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            return await self._me(tx, call, call.account)

    async def change_profile(self, *, call: Call, request: ProfileChange) -> Me:
        user = person_of(call)
        name = None if request.name is None else checks.name(request.name)
        zone = None if request.time_zone is None else checks.time_zone(request.time_zone)
        async with self._parts.database.transaction(EVERY_ACCOUNT) as tx:
            before = await self._me(tx, call, call.account)
            await people.change_profile(tx, user, name, zone)
            after = await self._me(tx, call, call.account)
            await self._parts.record(tx, call, Change("user", user, after.name, before=before, after=after))
        return after

    async def change_password(self, *, call: Call, request: PasswordChange) -> Nothing:
        user, session = person_of(call), session_of(call)
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            person = await people.person_by_id(tx, user)
        if person is None:
            raise absent("user", user)
        passwords.check_acceptable(request.new, person.email)
        if not person.must_change_password:
            await self._prove(call, person, request.current or "", session)
        if await self._parts.passwords.verify(person.password_hash, request.new):
            raise passwords.unchanged()
        fresh = await self._parts.passwords.hash(request.new)
        await self._parts.database.run(
            EVERY_ACCOUNT, lambda tx: self._set_password(tx, call, person, fresh, session)
        )
        return Nothing()

    async def switch_account(self, *, call: Call, request: SwitchAccount) -> Me:
        """The session's streams end, since they show the account that was left."""
        user, session = person_of(call), session_of(call)
        async with self._parts.database.transaction(EVERY_ACCOUNT) as tx:
            places = {place.account: place for place in await people.memberships_of(tx, user)}
            place = places.get(request.account)
            if place is None or not await sessions.move_session(tx, user, session, place.account):
                raise absent("account", request.account)
            before = {"account": call.account}
            after = {"account": place.account}
            change = Change("session", session, before=before, after=after, account=place.account)
            await self._parts.record(tx, call, change)
            await self._parts.revoke(tx, place.account, Revoked(credential=f"session:{session}"))
            return await self._me(tx, call, place.account)

    async def sessions(self, *, call: Call, request: PageRequest) -> Page[SessionInfo]:
        user, now = person_of(call), self._parts.clock()
        current = call.principal.credential.removeprefix("session:")
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            idle_since = now - self._parts.settings.idle
            return await sessions.sessions_of(tx, user, request, now, idle_since, current)

    async def end_session(self, *, call: Call, request: ById) -> Nothing:
        return await self._end(call, person_of(call), request.id)

    async def sign_out(self, *, call: Call, request: Nothing) -> Nothing:
        return await self._end(call, person_of(call), session_of(call))

    async def _end(self, call: Call, user: str, session: str) -> Nothing:
        async with self._parts.database.transaction(EVERY_ACCOUNT) as tx:
            account = await sessions.end_session(tx, user, session)
            if account is None:
                raise absent("session", session)
            await self._parts.revoke(tx, account, Revoked(credential=f"session:{session}"))
            await self._parts.record(tx, call, Change("session", session, before={"account": account}))
        return Nothing()

    async def _prove(self, call: Call, person: Person, password: str, session: str) -> None:
        async def check() -> bool | None:
            return await self._parts.passwords.verify(person.password_hash, password) or None

        # Whoever shows a session of this person has its allowance: nobody elsewhere can use it up.
        own = f"session:{session}"
        if not await self._parts.guard.attempt(person.email, call.remote, check, own):
            raise Unauthenticated(
                "the current password is wrong",
                code="auth.failed",
                cure="try again, or ask an admin to reset it",
            )

    async def _set_password(
        self, tx: Transaction, call: Call, person: Person, fresh: str, session: str
    ) -> None:
        held = await people.person_held(tx, person.id)
        if held is None or held.password_hash != person.password_hash:
            raise Unauthenticated(
                "the password was changed meanwhile", code="auth.failed", cure="sign in again"
            )
        await people.set_password(tx, person.id, fresh, must_change=False)
        await links.remove_links(tx, person.id)
        ended = await sessions.end_sessions_of(tx, person.id, but=session)
        for id in (*ended, session):  # the asking one stays, but what it may do has changed
            await self._parts.revoke(tx, call.account, Revoked(credential=f"session:{id}"))
        await self._parts.record(
            tx,
            call,
            Change(
                "user",
                person.id,
                person.email,
                after={"done": "password changed", "sessions_ended": len(ended)},
            ),
        )

    async def _me(self, tx: Transaction, call: Call, account: str) -> Me:
        who = call.principal
        person = await people.person_by_id(tx, who.id)
        places = await people.memberships_of(tx, who.id)
        here = next((place for place in places if place.account == account), None)
        if person is None or here is None:
            raise NotFound(
                "this user has no place in the account any more", code="user.absent", cure="sign in again"
            )
        mine = [MyAccount(place.account, place.account_name, place.role) for place in places]
        mine.sort(key=lambda each: (each.name.casefold(), each.id))
        return Me(
            id=person.id,
            kind="user",
            name=here.name,
            email=person.email,
            account=MyAccount(here.account, here.account_name, here.role),
            accounts=mine,
            teams=await teams.teams_of(tx, account, person.id),
            platform_admin=person.platform_admin,
            must_change_password=person.must_change_password,
            scopes=None if who.scopes is None else list(who.scopes),
            time_zone=person.time_zone,
        )

    async def _machine(self, call: Call) -> Me:
        who = call.principal
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            found = await service_accounts.service_account_of_id(tx, call.account, who.id)
            account = await accounts.account_of_id(tx, call.account)
            if found is None or account is None:
                raise absent("service account", who.id)
            here = MyAccount(account.id, account.name, found.role)
            return Me(
                id=found.id,
                kind="service_account",
                name=found.name,
                email="",
                account=here,
                accounts=[here],
                teams=await teams.teams_of(tx, call.account, found.id),
                platform_admin=False,
                must_change_password=False,
                scopes=None if who.scopes is None else list(who.scopes),
                time_zone=account.time_zone,
            )
