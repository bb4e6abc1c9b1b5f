"""A password is reset: by an admin (`users`) or by whoever owns the machine (`first_run`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from argosy.backends.database import EVERY_ACCOUNT, Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import PasswordReset, Revoked
from argosy.kit.calls import Call
from argosy.platform.identity.arriving import renewed
from argosy.platform.identity.one_time import one_time_password
from argosy.platform.identity.parts import Parts
from argosy.platform.identity.store import links, people, sessions, throttles
from argosy.platform.identity.store.people import Person
from argosy.platform.identity.throttle import email_key


async def reset(parts: Parts, call: Call, whose: Callable[[Transaction], Awaitable[Person]]) -> PasswordReset:
    """A one-time password; every session and link that the old one had opened is closed.

    `whose` raises unless this person's may be reset. It is asked before the work, and again inside the transaction that
    does it: while the password is hashed the person may come into another account.
    """
    async with parts.database.transaction(EVERY_ACCOUNT) as tx:
        await whose(tx)
    password = one_time_password()
    hashed = await parts.passwords.hash(password)

    async def work(tx: Transaction) -> None:
        person = await whose(tx)
        await people.set_password(tx, person.id, hashed, must_change=True)
        await links.remove_links(tx, person.id)
        if not await renewed(tx, person, password):
            await throttles.clear(
                tx, email_key(person.email)
            )  # whoever locked them out did not know this one
        ended = await sessions.end_sessions_of(tx, person.id)
        places = await people.memberships_of(tx, person.id)
        account = call.account or (places[0].account if places else "")
        await parts.revoke(tx, account, Revoked(principal=person.id))
        after = {"done": "password reset", "sessions_ended": len(ended)}
        await parts.record(tx, call, Change("user", person.id, person.email, after=after, account=account))

    await parts.database.run(EVERY_ACCOUNT, work)
    return PasswordReset(password)
