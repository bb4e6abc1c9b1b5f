"""How an installation begins, and how whoever owns the machine gets back in. Only the host asks."""

from __future__ import annotations

from datetime import timedelta

from argosy.backends.database import EVERY_ACCOUNT, Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import FirstRun, PasswordReset, ResetByEmail
from argosy.kit.calls import Call
from argosy.kit.errors import NotFound
from argosy.kit.ids import new_id
from argosy.kit.operations import Nothing
from argosy.platform.identity import checks, opaque
from argosy.platform.identity.founding import found
from argosy.platform.identity.parts import Part
from argosy.platform.identity.passwords import one_time_password
from argosy.platform.identity.resetting import reset
from argosy.platform.identity.store import accounts, links, people
from argosy.platform.identity.store.people import Person

LINK_LIVES = timedelta(minutes=10)


class Beginnings(Part):
    async def first_run(self, *, call: Call, request: Nothing) -> FirstRun:
        async with self._parts.database.transaction(EVERY_ACCOUNT) as tx:
            await accounts.lock_installation(tx)
            password = ""
            if not await people.any_person(tx):
                password = one_time_password()
                await self._begin(tx, call, password)
            admin = await people.first_platform_admin(tx)
            if admin is None:
                raise NotFound(
                    "no administrator of the installation can sign in",
                    code="user.absent",
                    cure="restore a backup, or start with an empty data directory",
                )
            secret, now = opaque.new_secret(), self._parts.clock()
            await links.add_link(tx, opaque.digest(secret), admin.id, now + LINK_LIVES)
        return FirstRun(admin.email, password, secret)

    async def reset_by_email(self, *, call: Call, request: ResetByEmail) -> PasswordReset:
        email = checks.email(request.email)

        async def known(tx: Transaction) -> Person:
            person = await people.person_by_email(tx, email)
            if person is None:
                raise NotFound(f"there is no user {email}", code="user.absent", cure="check the spelling")
            return person

        return await reset(self._parts, call, known)

    async def _begin(self, tx: Transaction, call: Call, password: str) -> None:
        settings = self._parts.settings
        email = checks.email(settings.admin_email)
        admin = Person(new_id(), email, await self._parts.passwords.hash(password), True, True, "UTC")
        await people.add_person(tx, admin, self._parts.clock())
        name = checks.name(settings.account_name)
        account = await found(self._parts, tx, name, "UTC", admin.id, email.partition("@")[0])
        made = Change("account", account.id, account.name, after=account, account=account.id)
        await self._parts.record(tx, call, made)
