"""Durable schedules. A tick is an event, published exactly once for each due time, whatever restarts meanwhile.

A service puts its schedules at start (`put` is idempotent by owner and name) and consumes `cron.ticked.v1`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Protocol

import msgspec

from argosy.contracts.paging import ById, Name, Page, PageRequest, Text
from argosy.kit.calls import Call
from argosy.kit.operations import Needs, Nothing, operation
from argosy.kit.web.routes import route

TICKED = "cron.ticked.v1"


class Ticked(msgspec.Struct, frozen=True):
    schedule: str
    owner: str
    name: str
    due: datetime
    payload: str
    missed: int = (
        0  # due times before this one that passed while nothing ran, not made up for (10,000: or more)
    )


class NewSchedule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Five cron fields in `time_zone` (empty: the account's, UTC for the installation). `missed` tells what to do
    with ticks that fell into a time when nothing ran: "skip" them, fire "one" for all of them, or "all" of them (the
    last 1,000). A tick that is at most a minute late was not missed. Clock changes: `domain.cron.occurrences`."""

    name: Name
    expression: Text
    time_zone: Text = ""
    payload: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    missed: Literal["skip", "one", "all"] = "one"
    enabled: bool = True


class Schedule(msgspec.Struct, frozen=True):
    id: str
    owner: str  # the service that put it
    name: str
    expression: str
    time_zone: str
    missed: str
    enabled: bool
    next_due: datetime | None
    last_due: datetime | None
    last_fired: datetime | None


class Occurrences(msgspec.Struct, frozen=True):
    times: list[datetime]


class CheckExpression(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    expression: Text
    time_zone: Text = ""  # empty: the account's


_TIMES = ("cron.expression", "cron.time_zone")


class Cron(Protocol):
    @operation(needs=Needs.SERVICE, callers=("*",), resource="schedule", writes=True, errors=_TIMES)
    async def put(self, *, call: Call, request: NewSchedule) -> Schedule:
        """Create or change the calling service's schedule of that name, in the call's account (or none)."""

    @operation(
        needs=Needs.SERVICE, callers=("*",), resource="schedule", writes=True, errors=("schedule.absent",)
    )
    async def remove(self, *, call: Call, request: ById) -> Nothing:
        """Remove a schedule of the calling service."""

    @operation(needs=Needs.ADMIN, scope="system:read", resource="schedule")
    async def schedules(self, *, call: Call, request: PageRequest) -> Page[Schedule]:
        """Schedules of the active account; for a platform admin also the installation's own."""

    @operation(needs=Needs.SIGNED_IN, scope="system:read", resource="schedule", errors=_TIMES)
    async def preview(self, *, call: Call, request: CheckExpression) -> Occurrences:
        """The next ten times of an expression in a time zone, or why it is wrong."""


ROUTES = (
    route("GET", "/api/schedules", "schedules", "schedules"),
    route("POST", "/api/schedules/preview", "preview", "schedules"),
)
