"""How anything gets into the audit log: an event in the outbox of the service where it happened.

A changing method calls `record` inside its transaction, so the change and its entry are one commit. All else
(reads, refusals, failures) is noted by the dispatcher through `note`, gathered and committed in groups.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from argosy.backends.database import EVERY_ACCOUNT
from argosy.backends.hosting.idempotency import claim
from argosy.backends.hosting.progress import current, operation_name
from argosy.contracts.audit import RECORDED, Actor, Kind, Recorded, Result
from argosy.contracts.events import Event, event
from argosy.kit.calls import Call
from argosy.kit.clock import Clock, now
from argosy.kit.ids import new_id
from argosy.kit.log import get_logger
from argosy.kit.masking import masked

if TYPE_CHECKING:
    from argosy.backends.database import Database, Transaction
    from argosy.backends.events import Outbox

log = get_logger(__name__)

_GATHER_SECONDS = 0.05
_GROUP = 500
_WAITING_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was created (`before` is None), changed, or removed (`after` is None)."""

    resource: str
    id: str
    name: str = ""
    before: msgspec.Struct | Mapping[str, object] | None = None
    after: msgspec.Struct | Mapping[str, object] | None = None
    account: str = ""  # where it differs from the caller's


def _raw(value: msgspec.Struct | Mapping[str, object] | None) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(masked(msgspec.to_builtins(value))))


def recorded_event(record: Recorded) -> Event:
    return event(RECORDED, account=record.account, key=record.account or "installation", body=record)


class Recorder:
    def __init__(self, service: str, database: Database, outbox: Outbox, clock: Clock = now) -> None:
        self._service, self.database, self._outbox, self._clock = service, database, outbox, clock
        self._waiting: list[Event] = []
        self._wake = asyncio.Event()

    async def record(self, tx: Transaction, call: Call, change: Change) -> None:
        """Within `tx`: the change and its entry stand or fall together."""
        record = self._entry(
            call, "change", "ok", change.resource, change.id, change.name, account=change.account,
            before=_raw(change.before), after=_raw(change.after),
        )  # fmt: skip
        await self._outbox.publish(tx, recorded_event(record))
        if (running := current.get()) is not None:
            running.changes += 1
            if running.request and running.claimed_in is not tx:
                await claim(tx, running.operation, call, running.request, change.id)
                running.claimed_in = tx

    def note(
        self, call: Call, kind: Kind, result: Result, resource: str, resource_id: str, error: str
    ) -> None:
        """Soon, in a group: for what changed nothing. Beyond the limit the oldest wait is not extended: it is said."""
        if len(self._waiting) >= _WAITING_LIMIT:
            log.error("audit.notes_dropped", waiting=len(self._waiting), request_id=call.request_id)
            return
        record = self._entry(call, kind, result, resource, resource_id, "", error=error)
        self._waiting.append(recorded_event(record))
        self._wake.set()

    async def take(self, records: Sequence[Recorded]) -> None:
        """Notes of a part that has no outbox. Written when this returns: that part then forgets them."""
        async with self.database.transaction(EVERY_ACCOUNT) as tx:
            await self._outbox.publish(tx, *(recorded_event(record) for record in records))

    async def run(self) -> None:
        """Commit what was noted, in groups, until cancelled; then commit the rest."""
        if self._waiting:
            self._wake.set()  # the loop failed before, and these have waited for it to be started again
        try:
            while True:
                await self._wake.wait()
                await asyncio.sleep(_GATHER_SECONDS)  # the group commit: many notes, one fsync
                await self.flush()
        finally:
            await asyncio.shield(self.flush())

    async def flush(self) -> None:
        while self._waiting:
            self._wake.clear()
            group = self._waiting[:_GROUP]
            async with self.database.transaction(EVERY_ACCOUNT) as tx:
                await self._outbox.publish(tx, *group)
            del self._waiting[: len(group)]

    def _entry(
        self, call: Call, kind: Kind, result: Result, resource: str, resource_id: str, name: str, *,
        account: str = "", error: str = "", before: msgspec.Raw = msgspec.Raw(b"null"),
        after: msgspec.Raw = msgspec.Raw(b"null"),
    ) -> Recorded:  # fmt: skip
        who = call.principal
        return Recorded(
            id=new_id(),
            time=self._clock(),
            account=account or call.account,
            kind=kind,
            actor=Actor(who.kind, who.id, who.name, who.credential),
            remote=call.remote,
            user_agent=call.user_agent,
            service=self._service,
            operation=operation_name(),
            resource=resource,
            resource_id=resource_id,
            resource_name=name,
            result=result,
            error=error,
            request_id=call.request_id,
            before=before,
            after=after,
        )
