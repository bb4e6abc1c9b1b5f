"""What the modules of the API share. `service` makes one; each noun's class is built on `Part`."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.backends.database import Database, Transaction
from argosy.backends.events import Outbox
from argosy.backends.hosting import Change, Recorder
from argosy.contracts.events import event
from argosy.contracts.identity import ACCOUNT_CHANGED, Account, AccountChanged, Revoked
from argosy.kit.calls import Call
from argosy.kit.clock import Clock
from argosy.kit.errors import Forbidden, NotFound
from argosy.platform.identity.guard import Guard
from argosy.platform.identity.issuer import Issuer
from argosy.platform.identity.passwords import Passwords
from argosy.platform.identity.revocations import Revocations
from argosy.platform.identity.settings import IdentitySettings
from argosy.platform.identity.touches import Touches


@dataclass(frozen=True, slots=True)
class Parts:
    settings: IdentitySettings
    database: Database
    outbox: Outbox
    recorder: Recorder
    clock: Clock
    passwords: Passwords
    guard: Guard
    issuer: Issuer
    revocations: Revocations
    touches: Touches

    async def record(self, tx: Transaction, call: Call, change: Change) -> None:
        await self.recorder.record(tx, call, change)

    async def revoke(self, tx: Transaction, account: str, revoked: Revoked) -> None:
        await self.revocations.announce(tx, revoked, account)

    async def account_changed(self, tx: Transaction, account: Account) -> None:
        """For whoever keeps accounts' names and time zones beside their own data, such as cron."""
        body = AccountChanged(account.id, account.name, account.time_zone)
        await self.outbox.publish(tx, event(ACCOUNT_CHANGED, account=account.id, key=account.id, body=body))


class Part:
    """One noun's methods. They get no further than a caller whose role and scope the dispatcher has checked."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts


def absent(kind: str, id: str) -> NotFound:
    """The same for what never was and for what is another account's."""
    return NotFound(f"there is no {kind} {id}", code=f"{kind.replace(' ', '_')}.absent")


def person_of(call: Call) -> str:
    if call.principal.kind != "user":
        raise Forbidden("only a person has that", code="auth.person", cure="sign in as a user")
    return call.principal.id


def session_of(call: Call) -> str:
    """The session that asks. Keys belong to one account and know no password, so some things need a session."""
    kind, _, id = call.principal.credential.partition(":")
    if kind != "session" or not id:
        raise Forbidden("that needs a session, not an API key", code="auth.session", cure="sign in first")
    return id
