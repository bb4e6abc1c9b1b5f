"""The contract `Cron`: services put and remove schedules, people look at them and try expressions.

A changed schedule wakes the scheduler of every instance by a notification.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.backends.database import Database, Transaction
from argosy.backends.hosting import Change, Recorder
from argosy.contracts.cron import CheckExpression, NewSchedule, Occurrences, Schedule
from argosy.contracts.paging import ById, Page, PageRequest
from argosy.domain.cron import Timetable, next_times, timetable
from argosy.kit.calls import Call
from argosy.kit.clock import Clock
from argosy.kit.errors import NotFound, Unavailable
from argosy.kit.ids import new_id
from argosy.kit.operations import Nothing
from argosy.platform.cron.store import Store, Stored, scope

CHANNEL = "cron_schedules"


class Api:
    def __init__(self, store: Store, database: Database, recorder: Recorder, clock: Clock) -> None:
        self._store, self._database, self._recorder, self._clock = store, database, recorder, clock

    async def put(self, *, call: Call, request: NewSchedule) -> Schedule:
        async def work(tx: Transaction) -> Schedule:
            return await self._put(tx, call, request)

        return await self._database.run(scope(call.account), work)

    async def remove(self, *, call: Call, request: ById) -> Nothing:
        async with self._database.transaction(scope(call.account)) as tx:
            gone = await self._store.remove(tx, call.account, call.principal.id, request.id)
            if gone is None:
                raise NotFound(
                    f"there is no schedule {request.id}",
                    code="schedule.absent",
                    cure="list the schedules; one that another service put is not shown to this one",
                )
            await self._record(tx, call, gone, before=_public(gone), after=None)
        return Nothing()

    async def schedules(self, *, call: Call, request: PageRequest) -> Page[Schedule]:
        # The zone before the schedules: an account that moves in between shows its old zone with new times, never the
        # new zone with old ones.
        zones = await self._zones(call.account)
        found, after = await self._store.page(call.account, call.principal.platform_admin, request)
        return Page([_public(item, zones.get(item.account, "UTC")) for item in found], after)

    async def preview(self, *, call: Call, request: CheckExpression) -> Occurrences:
        zone = request.time_zone or (await self._zones(call.account)).get(call.account, "UTC")
        return Occurrences(next_times(timetable(request.expression, zone), self._clock(), 10))

    async def _put(self, tx: Transaction, call: Call, request: NewSchedule) -> Schedule:
        account_zone = await self._store.zone(tx, call.account)
        table = timetable(request.expression, request.time_zone or account_zone)
        before = await self._store.named(tx, call.account, call.principal.id, request.name)
        after = self._new(call, request, table) if before is None else self._changed(before, request, table)
        if after == before:
            return _public(after, account_zone)
        if before is not None:
            await self._store.replace(tx, after)
        elif not await self._store.add(tx, after):
            raise Unavailable(
                f"another instance is putting the schedule {request.name} at this moment",
                code="schedule.busy",
                cure="put it again",
            )
        await self._record(
            tx, call, after, before=None if before is None else _public(before), after=_public(after)
        )
        return _public(after, account_zone)

    def _new(self, call: Call, request: NewSchedule, table: Timetable) -> Stored:
        now = self._clock()
        return Stored(
            new_id(), call.account, call.principal.id, request.name, request.expression, request.time_zone,
            request.payload, request.missed, request.enabled, 0, now, _first(table, now),
        )  # fmt: skip

    def _changed(self, before: Stored, request: NewSchedule, table: Timetable) -> Stored:
        """Another time, or enabled again: it counts from now. Nothing is made up for that was not asked for then."""
        after = msgspec.structs.replace(
            before, expression=request.expression, time_zone=request.time_zone, payload=request.payload,
            missed=request.missed, enabled=request.enabled,
        )  # fmt: skip
        same_times = (before.expression, before.time_zone) == (after.expression, after.time_zone)
        if same_times and (before.enabled or not after.enabled):
            return after
        since = max(before.planned_until, self._clock())
        return msgspec.structs.replace(after, planned_until=since, next_due=_first(table, since), passed=0)

    async def _zones(self, account: str) -> dict[str, str]:
        async with self._database.transaction(scope(account), read_only=True) as tx:
            return {account: await self._store.zone(tx, account)}

    async def _record(
        self,
        tx: Transaction,
        call: Call,
        schedule: Stored,
        *,
        before: Schedule | None,
        after: Schedule | None,
    ) -> None:
        await self._recorder.record(tx, call, Change("schedule", schedule.id, schedule.name, before, after))
        tx.after_commit(lambda: self._database.notify_soon(CHANNEL, ""))


def _first(table: Timetable, after: datetime) -> datetime | None:
    return next(iter(next_times(table, after, 1)), None)


def _public(stored: Stored, account_zone: str = "") -> Schedule:
    return Schedule(
        id=stored.id,
        owner=stored.owner,
        name=stored.name,
        expression=stored.expression,
        time_zone=stored.time_zone or account_zone,
        missed=stored.missed,
        enabled=stored.enabled,
        next_due=stored.next_due if stored.enabled else None,
        last_due=stored.last_due,
        last_fired=stored.last_fired,
    )
