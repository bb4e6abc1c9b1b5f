"""A session opens: after a password, a link or an accepted invitation. Called inside the transaction that decided it."""

from __future__ import annotations

import msgspec

from argosy.backends.database import Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import SessionCreated
from argosy.kit.calls import ANONYMOUS, Call, Principal
from argosy.kit.ids import new_id
from argosy.platform.identity import checks, devices, opaque
from argosy.platform.identity.parts import Parts
from argosy.platform.identity.store import sessions, users
from argosy.platform.identity.store.people import Membership, Person


async def open_session(
    parts: Parts, tx: Transaction, call: Call, person: Person, place: Membership, device: str
) -> SessionCreated:
    """Always a new token: none that a client brought along is ever made valid. `device`: what it showed of that kind."""
    now, secret = parts.clock(), opaque.new_secret()
    session = sessions.Session(
        new_id(), place.account, person.id, opaque.digest(secret), now, now + parts.settings.total,
        call.remote, call.user_agent,
    )  # fmt: skip
    await sessions.add_session(tx, session)
    await users.seen(tx, [(place.account, person.id, now)])
    actor = as_person(call, person, place.account, place.name)
    after = {"user": person.email, "remote": call.remote, "expires": session.expires}
    await parts.record(tx, actor, Change("session", session.id, person.email, after=after))
    device = await devices.recognised(tx, person.id, device, now)
    return SessionCreated(
        secret, session.id, session.expires, person.must_change_password, device, now + devices.KEPT
    )


def from_there(call: Call, remote: str, user_agent: str) -> Call:
    """The call as somebody not yet known made it, not as the gateway that passes it on."""
    return msgspec.structs.replace(
        call,
        principal=ANONYMOUS,
        remote=checks.shown(remote or call.remote, 100),
        user_agent=checks.shown(user_agent or call.user_agent, 300),
    )


def as_person(call: Call, person: Person, account: str, name: str) -> Call:
    who = Principal(kind="user", id=person.id, name=name, account=account)
    return msgspec.structs.replace(call, principal=who)
