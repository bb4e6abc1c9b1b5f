"""Schedules without a time zone of their own follow their account's: identity tells it, here it is kept.

A consumer of `identity.account_changed.v1`; the schedules' next due times move in the same transaction.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from argosy.backends.database import Database, Transaction
from argosy.backends.events import Consumer
from argosy.contracts.events import Event
from argosy.contracts.identity import ACCOUNT_CHANGED, AccountChanged
from argosy.domain.cron import next_times, timetable
from argosy.kit.clock import Clock
from argosy.platform.cron.api import CHANNEL
from argosy.platform.cron.store import Store


def consumer(store: Store, database: Database, clock: Clock) -> Consumer:
    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        for event in events:
            await _follow(store, tx, event.decode(AccountChanged), clock)
        tx.after_commit(lambda: database.notify_soon(CHANNEL, ""))

    return Consumer("zones", (ACCOUNT_CHANGED,), handle)


async def _follow(store: Store, tx: Transaction, account: AccountChanged, clock: Clock) -> None:
    """What came due under the old zone has been dealt with; what counts is the next time in the new one."""
    if await store.zone(tx, account.id) == account.time_zone:
        return
    for schedule in await store.move(tx, account.id, account.time_zone):
        since = max(schedule.planned_until, clock())
        upcoming = next_times(timetable(schedule.expression, account.time_zone), since, 1)
        moved = msgspec.structs.replace(
            schedule, planned_until=since, next_due=upcoming[0] if upcoming else None
        )
        await store.replace(tx, moved)
