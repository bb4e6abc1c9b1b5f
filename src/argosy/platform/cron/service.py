"""Wiring of cron: one scheduler loop per instance, one consumer that follows the accounts' time zones."""

from __future__ import annotations

from argosy.backends.hosting import Resources, Running, Service
from argosy.contracts.cron import Cron
from argosy.contracts.identity import ACCOUNT_CHANGED
from argosy.platform.cron.api import Api
from argosy.platform.cron.scheduler import Scheduler
from argosy.platform.cron.store import Store
from argosy.platform.cron.zones import consumer


async def build(resources: Resources) -> Running:
    store = Store(resources.database)
    scheduler = Scheduler(store, resources.database, resources.outbox, resources.clock)
    return Running(
        api=Api(store, resources.database, resources.recorder, resources.clock),
        consumers=(consumer(store, resources.database, resources.clock),),
        background=(scheduler.run,),
    )


SERVICE = Service(
    name="cron",
    contract=Cron,
    build=build,
    consumes=(ACCOUNT_CHANGED,),
    migrations="argosy.platform.cron.migrations",
)
