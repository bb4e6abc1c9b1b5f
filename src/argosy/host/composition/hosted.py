"""What every service answers besides its own contract (`contracts.hosting`): how it is, and its dead letters."""

from __future__ import annotations

from datetime import datetime

from argosy import __version__
from argosy.backends.database import Database, Transaction
from argosy.backends.database.storage import schema_bytes
from argosy.backends.events import Consumer, DeadLetters
from argosy.backends.events import DeadLetter as ParkedEvent
from argosy.backends.hosting import Change, Recorder
from argosy.contracts.hosting import DeadLetter, DeadLetterRequest, Discard, Health, Replay, Replayed
from argosy.contracts.paging import Page
from argosy.kit.calls import Call
from argosy.kit.clock import now
from argosy.kit.errors import ArgosyError, NotFound
from argosy.kit.operations import Nothing


class HostedService:
    """Answers even while the service cannot: `reason` is what it waits for."""

    def __init__(self, name: str, database: Database, dead_letters: DeadLetters, recorder: Recorder) -> None:
        self._name, self._database, self._dead_letters = name, database, dead_letters
        self._recorder = recorder
        self.consumers: dict[str, Consumer] = {}
        self.reason, self._detail = "starting", ""
        self.schema_version: int | None = None
        self._since: datetime = now()

    def became(self, reason: str, detail: str = "") -> None:
        self._detail = detail
        if reason != self.reason:
            self.reason, self._since = reason, now()

    async def missing(self, *, database: bool) -> tuple[str, str]:
        """What it waits for as of now, and the detail; its database may have gone away since the start."""
        if self.reason or not database:
            return self.reason, self._detail
        try:
            await self._database.ping()
        except ArgosyError as error:
            return error.message, error.detail
        return "", ""

    async def health(self, *, call: Call, request: Nothing) -> Health:
        reason, detail, size = self.reason, self._detail, None
        try:
            size = await schema_bytes(self._database)
        except ArgosyError as error:
            reason, detail = error.message, error.detail
        return Health(
            self._name,
            "degraded" if reason else "ready",
            __version__,
            reason,
            self._since,
            size,
            self.schema_version,
            detail,
        )

    async def dead_letters(self, *, call: Call, request: DeadLetterRequest) -> Page[DeadLetter]:
        page = await self._dead_letters.list(
            consumer=request.consumer, key=request.search, after=request.after, limit=request.limit
        )
        return Page([_told(one) for one in page.items], page.next)

    async def replay(self, *, call: Call, request: Replay) -> Replayed:
        if (consumer := self.consumers.get(request.consumer)) is None:
            raise NotFound(
                f"{self._name} has no consumer {request.consumer!r}",
                cure=f"its consumers: {', '.join(self.consumers) or 'none'}",
            )
        return Replayed(await self._dead_letters.replay(consumer, request.key))

    async def discard(self, *, call: Call, request: Discard) -> Replayed:
        """The entry is the account's whose event it was: they should find out why something never happened."""

        async def note(tx: Transaction, letter: ParkedEvent) -> None:
            event = letter.event
            before = _told(letter)
            change = Change("dead-letter", event.id, event.type, before=before, account=event.account)
            await self._recorder.record(tx, call, change)

        letter = await self._dead_letters.discard(request.consumer, request.id, note)
        if letter is None:
            raise NotFound(
                f"{request.consumer} has no parked event {request.id}",
                code="dead_letter.absent",
                cure="look at the list again; somebody may have been faster",
            )
        consumer = self.consumers.get(request.consumer)
        behind = 0 if consumer is None else await self._dead_letters.replay(consumer, letter.event.key)
        return Replayed(behind)


def _told(letter: ParkedEvent) -> DeadLetter:
    """What is shown of a parked event: not its body, which may hold what the reader should not see."""
    return DeadLetter(
        id=letter.event.id,
        consumer=letter.consumer,
        source=letter.source,
        event_type=letter.event.type,
        account=letter.event.account,
        key=letter.event.key,
        error=letter.error,
        attempts=letter.attempts,
        parked=letter.parked,
    )
