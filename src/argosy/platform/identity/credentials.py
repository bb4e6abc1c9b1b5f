"""The way in: passwords and links become sessions, sessions and keys become short-lived tokens.

Only the gateway calls these. Whatever is wrong with e-mail and password, the answer and its cost are the same, so that
nobody learns who exists here; each failure is in the audit log of the accounts it concerns.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from argosy.backends.database import EVERY_ACCOUNT, Transaction
from argosy.contracts.identity import (
    Credential,
    Exchanged,
    KeySet,
    RedeemLink,
    Revoked,
    ServiceCredential,
    SessionCreated,
    SignIn,
)
from argosy.kit.calls import Call, Principal, service_principal
from argosy.kit.errors import Invalid, TooMany, Unauthenticated
from argosy.kit.ids import is_id
from argosy.kit.operations import Nothing
from argosy.platform.identity import checks, devices, opaque, principals
from argosy.platform.identity.opening import as_person, from_there, open_session
from argosy.platform.identity.parts import Part
from argosy.platform.identity.store import keys, links, people, sessions, stand_ins
from argosy.platform.identity.store.people import Person


class Credentials(Part):
    async def sign_in(self, *, call: Call, request: SignIn) -> SessionCreated:
        call = from_there(call, request.remote, request.user_agent)
        email = checks.normal_email(request.email)
        try:
            person = await self._known_person(call, email, request)
        except Unauthenticated as error:
            await self._note_refusal(call, email, error.code)
            raise
        except TooMany as error:
            await self._note_refusal(call, email, error.code)
            raise
        fresh = ""
        if self._parts.passwords.outdated(person.password_hash):
            fresh = await self._parts.passwords.hash(request.password)
        return await self._parts.database.run(
            EVERY_ACCOUNT, lambda tx: self._start_session(tx, call, person, fresh, request.device)
        )

    async def redeem_link(self, *, call: Call, request: RedeemLink) -> SessionCreated:
        call = from_there(call, request.remote, request.user_agent)
        async with self._parts.database.transaction(EVERY_ACCOUNT) as tx:
            user = await links.take_link(tx, opaque.digest(request.token), self._parts.clock())
            person = await people.person_by_id(tx, user) if user else None
            places = await people.memberships_of(tx, user) if person else []
            created = (
                await open_session(self._parts, tx, call, person, places[0], request.device)
                if person and places
                else None
            )
        if created is None:
            self._parts.recorder.note(call, "change", "denied", "session", "", "auth.link")
            raise Unauthenticated(
                "this sign-in link does not work: it was used, or is older than 10 minutes",
                code="auth.link",
                cure="`argosy up` prints a new one; or sign in with e-mail and password",
            )
        return created

    async def exchange(self, *, call: Call, request: Credential) -> Exchanged:
        find = self._by_session if request.kind == "session" else self._by_key
        principal = await find(request.secret)
        if principal is None:
            raise Unauthenticated(
                "the session or API key is not valid (any more)", code="auth.failed", cure="sign in again"
            )
        return self._parts.issuer.issue(principal, audience=request.audience, acting=call.service)

    async def service_token(self, *, call: Call, request: ServiceCredential) -> Exchanged:
        if request.account and not is_id(request.account):
            raise Invalid("that is no account id", context={"field": "account"})
        principal = service_principal(call.service, request.account)
        return self._parts.issuer.issue(principal, audience=request.audience, acting=call.service)

    async def key_set(self, *, call: Call, request: Nothing) -> KeySet:
        return KeySet(self._parts.issuer.key_set())

    async def revocations(self, *, call: Call, request: Nothing) -> AsyncIterator[Revoked]:
        async for revoked in self._parts.revocations.stream():
            yield revoked

    async def _by_session(self, secret: str) -> Principal | None:
        digest, now = opaque.digest(secret), self._parts.clock()
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            found = await sessions.live_session(tx, digest, now, now - self._parts.settings.idle)
        if found is None or not opaque.same(found.token_hash, digest):
            return None
        self._parts.touches.session_seen(found.id, found.account, found.user, found.last_seen)
        return principals.of_session(found)

    async def _by_key(self, secret: str) -> Principal | None:
        if not opaque.looks_like_key(secret):
            return None
        digest = opaque.digest(secret)
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            found = await keys.live_key(tx, digest, self._parts.clock())
        if found is None or not opaque.same(found.key_hash, digest):
            return None
        self._parts.touches.key_used(found.id, found.last_used)
        return principals.of_key(found)

    async def _known_person(self, call: Call, email: str, request: SignIn) -> Person:
        """Who this is, if the password is right and there is an account to enter. One hash, whatever is wrong."""
        password = request.password

        async def check() -> Person | None:
            person = await self._person_of(email)
            right = await self._parts.passwords.verify(person.password_hash if person else "", password)
            if person is None or not right:
                await self._check_not_joining(email, password)
                return None
            async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
                return person if await people.memberships_of(tx, person.id) else None

        own = await devices.allowance(self._parts.database, email, request.device, self._parts.clock())
        person = await self._parts.guard.attempt(email, call.remote, check, own)
        if person is None:
            raise wrong_password()
        return person

    async def _check_not_joining(self, email: str, password: str) -> None:
        """Told only to whoever shows the one-time password of the place. It stays charged: being handed one must not
        wash out guesses at the person's own."""
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            email = email if email.isprintable() else ""
            if await stand_ins.opens(tx, email, opaque.digest(password)):
                raise Unauthenticated(
                    "this one-time password lets you into one more account, and you have a password here already",
                    code="auth.joining",
                    cure="open /invitation#token= with the one-time password behind it, and confirm with your own",
                )

    async def _person_of(self, email: str) -> Person | None:
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            return await people.person_by_email(tx, email if email.isprintable() else "")

    async def _start_session(
        self, tx: Transaction, call: Call, verified: Person, fresh: str, device: str
    ) -> SessionCreated:
        """Unless the password was changed, or the last account lost, since it was found right."""
        person = await people.person_held(tx, verified.id)
        places = await people.memberships_of(tx, verified.id)
        if person is None or person.password_hash != verified.password_hash or not places:
            raise wrong_password()
        if fresh:
            await people.set_password(tx, person.id, fresh, must_change=person.must_change_password)
        return await open_session(self._parts, tx, call, person, places[0], device)

    async def _note_refusal(self, call: Call, email: str, code: str) -> None:
        """In each account the person belongs to; for nobody's e-mail without it, as people type passwords there.

        The same statements run whether there is such a person or not: time is an answer too.
        """
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            person = await people.person_by_email(tx, email if email.isprintable() else "")
            places = await people.memberships_of(tx, person.id if person else "")
        for place in places:
            assert person is not None
            actor = as_person(call, person, place.account, place.name)
            self._parts.recorder.note(actor, "change", "denied", "session", "", code)
        if not places:
            self._parts.recorder.note(call, "change", "denied", "session", "", code)


def wrong_password() -> Unauthenticated:
    return Unauthenticated(
        "e-mail or password is wrong",
        code="auth.failed",
        cure="try again, or ask an admin for a new password",
    )
