"""Invitations: a link, shown once, by which somebody joins an account; it ends with its first use."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from argosy.backends.database import EVERY_ACCOUNT, Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import (
    AcceptInvitation,
    Invitation,
    InvitationCreated,
    InvitationPreview,
    InvitationToken,
    NewInvitation,
    SessionCreated,
)
from argosy.contracts.paging import ById, Page, PageRequest
from argosy.kit.calls import Call
from argosy.kit.errors import Conflict, Forbidden, NotFound, TooMany, Unauthenticated
from argosy.kit.ids import new_id
from argosy.kit.operations import Nothing
from argosy.platform.identity import checks, devices, opaque, passwords
from argosy.platform.identity.joining import already_here, existing_user, join
from argosy.platform.identity.opening import as_person, from_there, open_session
from argosy.platform.identity.parts import Part, absent
from argosy.platform.identity.store import invitations, people, stand_ins, teams, users
from argosy.platform.identity.store.invitations import NewInvitationRow, OpenInvitation
from argosy.platform.identity.store.people import Membership, Person


class Invitations(Part):
    async def invitations(self, *, call: Call, request: PageRequest) -> Page[Invitation]:
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            return await invitations.invitations(tx, call.account, request, self._parts.clock())

    async def invite(self, *, call: Call, request: NewInvitation) -> InvitationCreated:
        email, now, secret = checks.email(request.email), self._parts.clock(), opaque.new_secret()
        async with self._parts.database.transaction(call.account) as tx:
            if await users.user_of_email(tx, call.account, email) is not None:
                raise already_here(email)
            listed = await checks.listed_teams(tx, call.account, request.teams)
            row = NewInvitationRow(
                new_id(), call.account, email, request.role, listed, call.principal.name, opaque.digest(secret),
                now, now + timedelta(days=self._parts.settings.invitation_days),
            )  # fmt: skip
            await invitations.put_invitation(tx, row)
            made = await self._invitation(tx, call.account, row.id)
            await self._parts.record(tx, call, Change("invitation", made.id, email, after=made))
        return InvitationCreated(made, secret)

    async def withdraw_invitation(self, *, call: Call, request: ById) -> Nothing:
        async with self._parts.database.transaction(call.account) as tx:
            before = await self._invitation(tx, call.account, request.id)
            await invitations.remove_invitation(tx, call.account, request.id)
            await self._parts.record(tx, call, Change("invitation", before.id, before.email, before=before))
        return Nothing()

    async def preview_invitation(self, *, call: Call, request: InvitationToken) -> InvitationPreview:
        found, person = await self._open(request.token)
        return InvitationPreview(found.account_name, found.email, person is not None)

    async def accept_invitation(self, *, call: Call, request: AcceptInvitation) -> SessionCreated:
        call = from_there(call, request.remote, request.user_agent)
        found, known = await self._open(request.token)
        if known is None:
            passwords.check_acceptable(request.password, found.email)
            hashed = await self._parts.passwords.hash(request.password)
            person = Person(new_id(), found.email, hashed, False, False, "UTC")
        else:
            person = await self._prove_known(call, known, found, request)
        if request.name:
            name = checks.name(request.name)
        else:
            name = found.name or await self._called(person)
        request = msgspec.structs.replace(request, name=name)
        return await self._parts.database.run(
            EVERY_ACCOUNT, lambda tx: self._accept(tx, call, request, found, person, known is None)
        )

    async def _accept(
        self,
        tx: Transaction,
        call: Call,
        request: AcceptInvitation,
        found: OpenInvitation,
        person: Person,
        fresh: bool,
    ) -> SessionCreated:
        name = request.name
        if not await self._taken(tx, found, request.token):
            raise _worthless()
        if fresh and not await people.add_person(tx, person, self._parts.clock()):
            raise Conflict("somebody just took this e-mail", code="database.conflict", cure="try again")
        held = await people.person_held(tx, person.id)
        if held is None or held.password_hash != person.password_hash:
            raise Unauthenticated("the password was changed meanwhile", code="auth.failed", cure="try again")
        await self._put_in_place(tx, found, person, name)
        user = await existing_user(tx, found.account, person.id)
        actor = as_person(call, person, found.account, name)
        await self._parts.record(tx, actor, Change("user", user.id, user.email, after=user))
        place = Membership(found.account, found.account_name, name, found.role)
        return await open_session(self._parts, tx, call, person, place, request.device)

    async def _taken(self, tx: Transaction, found: OpenInvitation, token: str) -> bool:
        """Whoever has it has it alone."""
        if found.stand_in:
            return await stand_ins.hold(tx, found.id, opaque.digest(token))
        return await invitations.remove_invitation(tx, found.account, found.id)

    async def _put_in_place(self, tx: Transaction, found: OpenInvitation, person: Person, name: str) -> None:
        account = found.account
        if found.stand_in:
            if await users.user_of_id(tx, account, person.id) is not None:
                raise already_here(person.email)
            await stand_ins.replace(tx, account, found.id, person.id)
            await users.change_member(tx, account, person.id, name=name, role=None, disabled=None)
            return
        # Teams may have gone since the invitation was written.
        known = await teams.known_teams(tx, account, found.teams)
        listed = [id for id in found.teams if id in known]
        await join(self._parts, tx, account, person, name, found.role, listed)

    async def _prove_known(
        self, call: Call, known: Person, found: OpenInvitation, request: AcceptInvitation
    ) -> Person:
        async def check() -> Person | None:
            right = await self._parts.passwords.verify(known.password_hash, request.password)
            return known if right else None

        own = await devices.allowance(self._parts.database, known.email, request.device, self._parts.clock())
        try:
            person = await self._parts.guard.attempt(known.email, call.remote, check, own)
        except TooMany as error:
            self._note_attempt(call, known, found, error.code)
            raise
        if person is None:
            self._note_attempt(call, known, found, "auth.failed")
            raise Unauthenticated(
                "the password is wrong", code="auth.failed", cure="use your password of this installation"
            )
        if person.must_change_password:  # whoever handed it out knows it too
            self._note_attempt(call, known, found, "auth.password")
            raise Forbidden(
                "this is a one-time password, which proves nothing",
                code="auth.password",
                cure="sign in with it, choose your own, then come back to this page",
            )
        return person

    def _note_attempt(self, call: Call, known: Person, found: OpenInvitation, code: str) -> None:
        actor = as_person(call, known, found.account, known.email)
        self._parts.recorder.note(actor, "change", "denied", "invitation", found.id, code)

    async def _called(self, person: Person) -> str:
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            places = await people.memberships_of(tx, person.id)
        return places[0].name if places else person.email.partition("@")[0]

    async def _open(self, token: str) -> tuple[OpenInvitation, Person | None]:
        async with self._parts.database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
            found = await invitations.open_invitation(tx, opaque.digest(token), self._parts.clock())
            if found is None:
                place = await stand_ins.open_stand_in(tx, opaque.digest(token))
                if place is None:
                    raise _worthless()
                found = OpenInvitation(
                    place.id, place.account, place.account_name, place.email, place.role, [], place.name, True
                )  # fmt: skip
            return found, await people.person_by_email(tx, found.email)

    async def _invitation(self, tx: Transaction, account: str, id: str) -> Invitation:
        found = await invitations.invitation_of_id(tx, account, id, self._parts.clock())
        if found is None:
            raise absent("invitation", id)
        return found


def _worthless() -> NotFound:
    return NotFound(
        "this invitation does not work: it was used, withdrawn or has expired",
        code="invitation.absent",
        cure="ask for a new one",
    )
