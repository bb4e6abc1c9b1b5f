"""What ended, told to everybody at once: an event for the record, and a wake-up for who listens now.

`announce` runs inside the transaction that ends something. The notification goes through PostgreSQL, so a gateway that
listens at one identity instance hears what another one did. A stream that may have missed something ends with an error:
its reader forgets all it knows and subscribes again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec

from argosy.backends.database import Database, Transaction
from argosy.backends.events import Outbox
from argosy.contracts.events import event
from argosy.contracts.identity import REVOKED, Revoked
from argosy.kit.errors import Unavailable
from argosy.kit.log import get_logger
from argosy.platform.identity.store import revocations as store

log = get_logger(__name__)
_WAITING_LIMIT = 10_000
_LIVE_SECONDS = 5.0


class Revocations:
    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database, self._outbox = database, outbox
        self._queues: set[asyncio.Queue[Revoked | None]] = set()
        self._live = asyncio.Event()
        self._listening = False

    async def announce(self, tx: Transaction, revoked: Revoked, account: str) -> None:
        key = revoked.credential or revoked.principal or account
        await self._outbox.publish(tx, event(REVOKED, account=account, key=key, body=revoked))
        await store.tell(tx, revoked)

    async def stream(self) -> AsyncIterator[Revoked]:
        if not self._listening:
            self._listening = True
            await self._database.listen(store.CHANNEL, self._heard)
        try:
            await asyncio.wait_for(self._live.wait(), _LIVE_SECONDS)
        except TimeoutError as error:
            raise _interrupted("the database does not answer") from error
        queue: asyncio.Queue[Revoked | None] = asyncio.Queue()
        self._queues.add(queue)
        try:
            yield Revoked()
            while (revoked := await queue.get()) is not None:
                yield revoked
        finally:
            self._queues.discard(queue)
        raise _interrupted("some may have been missed")

    def _heard(self, payload: str) -> None:
        if not payload:  # connected, perhaps again: nobody knows what was said meanwhile
            self._live.set()
            self.end_all()
            return
        try:
            revoked = msgspec.json.decode(payload, type=Revoked)
        except (
            msgspec.MsgspecError
        ):  # anybody in the database may notify: what it was is not known, so all is doubted
            log.exception("identity.revocation_unreadable")
            self.end_all()
            return
        for queue in self._queues:
            queue.put_nowait(None if queue.qsize() >= _WAITING_LIMIT else revoked)

    def end_all(self) -> None:
        """Also when the process stops: the readers turn to another instance."""
        for queue in self._queues:
            queue.put_nowait(None)


def _interrupted(why: str) -> Unavailable:
    return Unavailable(
        f"the stream of revocations was interrupted: {why}",
        code="auth.revocations_interrupted",
        cure="forget what was exchanged so far and subscribe again",
    )
