"""How an installation begins, and how whoever owns the machine gets back in. Only the host asks."""

from __future__ import annotations

from datetime import timedelta

from argosy.backends.database import EVERY_ACCOUNT, Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import Begin, FirstRun, PasswordReset, ResetByEmail
from argosy.kit.calls import Call
from argosy.kit.errors import NotFound
from argosy.kit.ids import new_id
from argosy.platform.identity import checks, opaque
from argosy.platform.identity.founding import found
from argosy.platform.identity.one_time import one_time_password
from argosy.platform.identity.parts import Part
from argosy.platform.identity.resetting import reset
from argosy.platform.identity.store import accounts, links, people
from argosy.platform.identity.store.people import Person

LINK_LIVES = timedelta(minutes=10)


class Beginnings(Part):
    async def first_run(self, *, call: Call, request: Begin) -> FirstRun:
        password, replaced = request.one_time_password, False
        async with self._parts.database.transaction(EVERY_ACCOUNT) as tx:
            await accounts.lock_installation(tx)
            if not await people.any_person(tx):
                password = password or one_time_password()
                await self._begin(tx, call, password)
            elif password:
                password, replaced = await self._hand_out_again(tx, call, password)
            admin = await people.first_platform_admin(tx)
            if admin is None:
                raise NotFound(
                    "no administrator of the installation can sign in",
                    code="user.absent",
                    cure="restore a backup, or start with an empty data directory",
                )
            secret, now = opaque.new_secret(), self._parts.clock()
            await links.add_link(tx, opaque.digest(secret), admin.id, now + LINK_LIVES)
        return FirstRun(admin.email, password, secret, replaced)

    async def reset_by_email(self, *, call: Call, request: ResetByEmail) -> PasswordReset:
        email = checks.email(request.email)

        async def known(tx: Transaction) -> Person:
            person = await people.person_by_email(tx, email)
            if person is None:
                raise NotFound(f"there is no user {email}", code="user.absent", cure="check the spelling")
            return person

        return await reset(self._parts, call, known)

    async def _hand_out_again(self, tx: Transaction, call: Call, password: str) -> tuple[str, bool]:
        """The start that made up the first password may have been stopped before it could show it. Until somebody signs
        in, it is worth nothing to anybody but whoever starts the platform, so the next start replaces it."""
        admin = await people.never_signed_in(tx)
        if admin is None:
            return "", False
        if await self._parts.passwords.verify(admin.password_hash, password):
            return password, False
        hashed = await self._parts.passwords.hash(password)
        await people.set_password(tx, admin.id, hashed, must_change=True, first=True)
        await links.remove_links(tx, admin.id)
        account = (await people.memberships_of(tx, admin.id))[0].account
        after = {"done": "first password replaced"}
        await self._parts.record(
            tx, call, Change("user", admin.id, admin.email, after=after, account=account)
        )
        return password, True

    async def _begin(self, tx: Transaction, call: Call, password: str) -> None:
        settings = self._parts.settings
        email = checks.email(settings.admin_email)
        admin = Person(new_id(), email, await self._parts.passwords.hash(password), True, True, "UTC")
        await people.add_person(tx, admin, self._parts.clock(), first_password=True)
        name = checks.name(settings.account_name)
        account = await found(self._parts, tx, name, "UTC", admin.id, email.partition("@")[0])
        made = Change("account", account.id, account.name, after=account, account=account.id)
        await self._parts.record(tx, call, made)
