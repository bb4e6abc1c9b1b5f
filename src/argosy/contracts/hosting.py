"""What every service answers besides its own contract: how it is, and which events it could not digest."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Protocol

import msgspec

from argosy.contracts.paging import Name, Page, PageRequest, Text
from argosy.kit.calls import Call
from argosy.kit.operations import Needs, Nothing, operation


class Health(msgspec.Struct, frozen=True):
    service: str
    state: Literal["ready", "degraded", "down"]
    version: str = ""
    reason: str = ""  # what it waits for, when it is not ready
    since: datetime | None = None
    database_bytes: int | None = None
    schema_version: int | None = None
    detail: str = (
        ""  # the database's host and role, the system's words: for administrators of the installation
    )


class DeadLetter(msgspec.Struct, frozen=True):
    id: str  # of the event
    consumer: str
    source: str  # the service that published it
    event_type: str
    account: str
    key: str
    error: str
    attempts: int
    parked: datetime


DeadLetters = Page[DeadLetter]


class DeadLetterRequest(PageRequest, frozen=True, kw_only=True):
    """`search` is a key, exactly."""

    consumer: Text = ""


class Replay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All parked events of one key of one consumer, oldest first: order per key holds in a replay too."""

    consumer: Name
    key: str


class Discard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One parked event, for good."""

    consumer: Name
    id: Name


class Replayed(msgspec.Struct, frozen=True):
    events: int


class Hosted(Protocol):
    @operation(needs=Needs.SERVICE, callers=("gateway",), deadline=3.0)
    async def health(self, *, call: Call, request: Nothing) -> Health:
        """Whether this service can do its work now."""

    @operation(needs=Needs.PLATFORM_ADMIN, scope="system:read", resource="dead-letter")
    async def dead_letters(self, *, call: Call, request: DeadLetterRequest) -> Page[DeadLetter]:
        """Events that a consumer of this service could not process, with the reason."""

    @operation(needs=Needs.PLATFORM_ADMIN, scope="system:write", resource="dead-letter", writes=True)
    async def replay(self, *, call: Call, request: Replay) -> Replayed:
        """Process the parked events of one key again, in order."""

    @operation(
        needs=Needs.PLATFORM_ADMIN,
        scope="system:write",
        resource="dead-letter",
        writes=True,
        errors=("dead_letter.absent",),
    )
    async def discard(self, *, call: Call, request: Discard) -> Replayed:
        """Give one parked event up for good, and process those that waited behind it."""
