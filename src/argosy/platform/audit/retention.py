"""Forgets old entries: reads sooner than changes, as each account has set. Whole prefixes of a chain go.

A signed checkpoint takes their place, so that the rest still verifies. It is signed only for entries that are as they
were sealed: whoever makes an entry look old must not get our signature under its removal. It runs after each tick of a
schedule of its own and after a start; a step is one short transaction, and a crash between two leaves a shorter, whole chain.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from argosy.backends.database import Database, Transaction
from argosy.backends.events import Consumer
from argosy.backends.hosting import Change, Recorder
from argosy.backends.hosting.service import Clients
from argosy.contracts.audit import AuditSettings
from argosy.contracts.cron import TICKED, Cron, NewSchedule, Ticked
from argosy.contracts.events import Event
from argosy.kit.calls import service_call
from argosy.kit.clock import Clock
from argosy.kit.errors import ArgosyError
from argosy.kit.log import get_logger
from argosy.platform.audit.signing import Signer
from argosy.platform.audit.store import Chain, Store, scope
from argosy.platform.audit.verification import Verifying

log = get_logger(__name__)

SCHEDULE = NewSchedule(name="audit.retention", expression="17 3 * * *", time_zone="UTC")
_STEP = 2_000
_PUT_AGAIN_SECONDS = 3600.0
_LONGEST_PAUSE = 30.0


class Retention:
    def __init__(
        self,
        store: Store,
        signer: Signer,
        verifying: Verifying,
        recorder: Recorder,
        database: Database,
        defaults: AuditSettings,
        clock: Clock,
    ) -> None:
        self._store, self._signer, self._verifying, self._recorder = store, signer, verifying, recorder
        self._database, self._defaults, self._clock = database, defaults, clock
        self._wanted = asyncio.Event()
        self._wanted.set()

    def consumer(self) -> Consumer:
        async def handle(tx: Transaction, events: Sequence[Event]) -> None:
            ticks = [event.decode(Ticked) for event in events]
            if any((tick.owner, tick.name) == ("audit", SCHEDULE.name) for tick in ticks):
                tx.after_commit(self._wanted.set)

        return Consumer("retention", (TICKED,), handle)

    async def run(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                for chain in await self._store.chains():
                    await self.prune(chain)
            except ArgosyError:
                self._wanted.set()  # the next tick is a day away
                raise

    async def prune(self, chain: Chain) -> int:
        """How many entries went."""
        gone, attested = 0, await self._verifying.attested(chain.account, chain.kind)
        while step := await self._step(chain.account, chain, attested, self._clock()):
            gone += step
        if gone:
            log.info("audit.pruned", account=chain.account, chain=chain.kind, entries=gone)
        return gone

    async def _step(self, account: str, which: Chain, attested: Mapping[int, bytes], now: datetime) -> int:
        async with self._database.transaction(scope(account)) as tx:
            (chain,) = await self._store.hold(tx, [(account, which.kind)])
            settings = await self._store.settings(tx, account) or self._defaults
            days = settings.reads_kept_days if chain.kind == "read" else settings.changes_kept_days
            expired = await self._store.expired(tx, chain, now - timedelta(days=days), _STEP)
            if not expired:
                return 0
            if (fault := await self._verifying.oldest(chain, expired, attested)) is not None:
                log.error("audit.not_pruned", account=account, chain=chain.kind, reason=fault.problem)
                return 0
            checkpoint = self._signer.sign("checkpoint", account, chain.kind, expired[-1].head, now)
            await self._store.prune(tx, chain, checkpoint)
            first, last = expired[0].number, expired[-1].number
            told = {"chain": chain.kind, "first": first, "last": last, "kept_days": days}
            change = Change("audit-entry", "", f"{chain.kind}s {first} to {last}", before=told)
            await self._recorder.record(tx, service_call("audit", account), change)
        return len(expired)


async def keep_schedule(clients: Clients) -> None:
    """Puts the schedule at the start and now and then, until cancelled: cron may be late, or be restored."""
    pause = 0.5
    while True:
        try:
            await clients(Cron).put(call=service_call("audit"), request=SCHEDULE)
            pause = 0.5
            await asyncio.sleep(_PUT_AGAIN_SECONDS)
        except ArgosyError as error:
            log.info("audit.waiting_for_cron", reason=error.told, seconds=pause)
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
