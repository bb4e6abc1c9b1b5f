"""Somebody is put into an account by its admin, or by an administrator of the installation, with a one-time password.

Whether the e-mail is somebody's already is not theirs to know, nor may it decide who gets in. If it were enough to be known,
an admin of any account could make the person `victim@b` first, with a password of their own choosing, and wait until B adds
that e-mail. So the answer is always a new id and a one-time password:

- Nobody has the e-mail: the one-time password is this person's, to sign in with and to replace.
- A person has it: what is made is a stand-in (`store/stand_ins`), as which nobody can sign in. Its one-time password is an
  invitation: whoever shows it and the person's own password takes its place (`invitations`).
- A person has it who is in no account any more: what is left of them is forgotten, since no account vouches for it.
"""

from __future__ import annotations

from argosy.backends.database import Transaction
from argosy.kit.errors import Conflict
from argosy.kit.ids import new_id
from argosy.platform.identity import opaque
from argosy.platform.identity.one_time import one_time_password
from argosy.platform.identity.parts import Parts
from argosy.platform.identity.store import people, stand_ins
from argosy.platform.identity.store.people import Person


class Arrival:
    """Made outside the transaction, because hashing takes its time; then `person` inside."""

    def __init__(self, email: str, one_time: str, hashed: str) -> None:
        self.one_time_password = one_time
        self._person = Person(new_id(), email, hashed, True, False, "UTC")

    @classmethod
    async def prepared(cls, parts: Parts, email: str) -> Arrival:
        """The same work for every e-mail: time is an answer too."""
        once = one_time_password()
        return cls(email, once, await parts.passwords.hash(once))

    async def person(self, parts: Parts, tx: Transaction) -> Person:
        """`tx` is for every account. Somebody new, or a stand-in; the caller gives them their place."""
        known = await people.person_alone_by_email(tx, self._person.email)
        if known is not None and not known.platform_admin and not await people.is_member(tx, known.id):
            await people.forget(tx, known.id)
            known = None
        join_hash = None if known is None else opaque.digest(self.one_time_password)
        if not await people.add_person(tx, self._person, parts.clock(), join_hash=join_hash):
            raise Conflict("somebody just took this e-mail", code="database.conflict", cure="try again")
        return self._person


async def renewed(tx: Transaction, person: Person, one_time: str) -> bool:
    """After a reset: whether this is a stand-in, which waits with the new one-time password from now on."""
    if not await stand_ins.is_stand_in(tx, person.id):
        return False
    await stand_ins.make_stand_in(tx, person.id, opaque.digest(one_time))
    return True
