"""What happened, who did it and from where: kept in a chain that shows any later change.

Every service publishes `audit.recorded.v1` through its outbox, for a change in the transaction that made it;
`platform/audit` seals what arrives, per account, and answers questions. It is asked by people only.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Literal, Protocol

import msgspec

from argosy.contracts.paging import ById, Page, Text
from argosy.kit.calls import Call
from argosy.kit.operations import Needs, Nothing, operation
from argosy.kit.web.routes import route

RECORDED = "audit.recorded.v1"
Result = Literal["ok", "denied", "failed"]
Kind = Literal["change", "read"]
Moment = Annotated[datetime, msgspec.Meta(tz=True)] | None


class Actor(msgspec.Struct, frozen=True):
    kind: str
    id: str
    name: str
    credential: str = ""


class Recorded(msgspec.Struct, frozen=True, omit_defaults=True):
    """The body of the event. `before` and `after` are JSON with secrets masked; only a change has them."""

    id: str
    time: datetime
    account: str
    kind: Kind
    actor: Actor
    remote: str
    user_agent: str
    service: str
    operation: str
    resource: str  # what kind of thing: "team"
    resource_id: str
    resource_name: str
    result: Result
    before: msgspec.Raw
    after: msgspec.Raw
    error: str = ""
    request_id: str = ""


class Records(msgspec.Struct, frozen=True):
    """What a part without a database of its own noted."""

    records: list[Recorded]


class Entry(Recorded, frozen=True):
    """A sealed record: its number in the account's chain of its kind, and the hash that binds it to all before it.

    In lists `before` and `after` are left out; `entry` and the exports have them.
    """

    number: int = 0
    hash: str = ""


class AuditQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`search`: words, or beginnings of words, in the actor's name, the operation, and the resource's kind, name and id.

    `installation`: the entries that belong to no account (a failed sign-in, say), for platform admins only.
    """

    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50
    after: Text = ""
    search: Text = ""
    kind: Literal["", "change", "read"] = ""
    result: Literal["", "ok", "denied", "failed"] = ""
    resource: Text = ""
    resource_id: Text = ""
    actor: Text = ""  # id
    operation: Text = ""
    since: Moment = None
    until: Moment = None
    installation: bool = False


class ExportQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Literal["csv", "jsonl"] = "jsonl"
    search: Text = ""
    kind: Literal["", "change", "read"] = ""
    result: Literal["", "ok", "denied", "failed"] = ""
    resource: Text = ""
    resource_id: Text = ""
    actor: Text = ""
    operation: Text = ""
    since: Moment = None
    until: Moment = None
    installation: bool = False


class ExportChunk(msgspec.Struct, frozen=True):
    data: bytes
    filename: str = ""
    content_type: str = ""


class WhichLog(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    installation: bool = False  # the entries that belong to no account, for platform admins only


class ChainState(msgspec.Struct, frozen=True):
    """Changes and reads are separate chains, since reads are kept for a shorter time."""

    kind: Kind
    first: int  # the number of the oldest entry that is kept
    entries: int  # how many of them verified
    head: str
    anchored: int  # the number up to which a signed head outside the database vouches
    problem: str = ""
    entry: int = 0


class Verification(msgspec.Struct, frozen=True):
    """`whole` says that nothing was altered, removed or cut off; otherwise `entry` (a number), its chain and `problem`
    name the first fault. `head` and `anchored` are those of the changes; `chains` has both."""

    whole: bool
    entries: int
    head: str
    anchored: int
    problem: str = ""
    entry: int = 0
    chain: Literal["", "change", "read"] = ""
    chains: tuple[ChainState, ...] = ()


class AuditSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reads_kept_days: Annotated[int, msgspec.Meta(ge=1, le=3650)] = 14
    changes_kept_days: Annotated[int, msgspec.Meta(ge=30, le=36500)] = 3650


class Audit(Protocol):
    @operation(needs=Needs.SERVICE, callers=("gateway",))
    async def record(self, *, call: Call, request: Records) -> Nothing:
        """Take into the log what the gateway refused or answered by itself."""

    @operation(needs=Needs.ADMIN, scope="audit:read", resource="audit-entry")
    async def entries(self, *, call: Call, request: AuditQuery) -> Page[Entry]:
        """Entries of the active account, newest first."""

    @operation(needs=Needs.ADMIN, scope="audit:read", resource="audit-entry")
    async def entry(self, *, call: Call, request: ById) -> Entry:
        """One entry with what was before and after."""

    @operation(needs=Needs.ADMIN, scope="audit:read", resource="audit-entry", deadline=3600.0)
    def follow(self, *, call: Call, request: Nothing) -> AsyncIterator[Entry]:
        """Entries as they are sealed."""

    @operation(needs=Needs.ADMIN, scope="audit:read", resource="audit-entry", deadline=3600.0)
    def export(self, *, call: Call, request: ExportQuery) -> AsyncIterator[ExportChunk]:
        """All matching entries, oldest first, as CSV or JSON lines."""

    @operation(needs=Needs.ADMIN, scope="audit:read", resource="audit-entry", deadline=600.0)
    async def verify(self, *, call: Call, request: WhichLog) -> Verification:
        """Recompute the chain and compare it with the signed heads."""

    @operation(needs=Needs.ADMIN, scope="audit:read", resource="audit-settings")
    async def settings(self, *, call: Call, request: Nothing) -> AuditSettings:
        """How long entries are kept."""

    @operation(needs=Needs.ADMIN, scope="audit:write", resource="audit-settings", writes=True)
    async def change_settings(self, *, call: Call, request: AuditSettings) -> AuditSettings:
        """Keep reads or changes longer or shorter."""


ROUTES = (
    route("GET", "/api/audit", "entries", "audit"),
    route("GET", "/api/audit/follow", "follow", "audit", "sse"),
    route("GET", "/api/audit/export", "export", "audit", "download"),
    route("GET", "/api/audit/verify", "verify", "audit"),
    route("GET", "/api/audit/settings", "settings", "audit"),
    route("PUT", "/api/audit/settings", "change_settings", "audit"),
    route("GET", "/api/audit/{id}", "entry", "audit"),
)
