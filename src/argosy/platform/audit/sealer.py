"""Takes audit records from every service's events and seals them: numbered, chained, once each.

The consumer is handed each event once, and an entry's id is looked up besides, so that a replay adds nothing. The
chain's row is locked meanwhile: however many instances there are, each chain has one sealer at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from argosy.backends.database import Transaction
from argosy.backends.events import Consumer
from argosy.contracts.audit import RECORDED, Kind, Recorded
from argosy.contracts.events import Event
from argosy.domain.chain import Link, seal
from argosy.kit.clock import Clock
from argosy.kit.errors import Invalid
from argosy.platform.audit.canonical import canonical, storable
from argosy.platform.audit.store import Store

_BATCH = 500
Sealed = Callable[[set[str]], None]  # told the accounts that have new entries


def sealing(store: Store, clock: Clock, sealed: Sealed) -> Consumer:
    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        await seal_records(store, tx, [_record(event) for event in events], clock, sealed)

    return Consumer("audit", (RECORDED,), handle, batch=_BATCH)


async def seal_records(
    store: Store, tx: Transaction, records: Sequence[Recorded], clock: Clock, sealed: Sealed
) -> None:
    known = await store.known(tx, records)
    chains: dict[tuple[str, Kind], list[Recorded]] = {}
    for record in records:
        if (record.account, record.id) not in known:
            known.add((record.account, record.id))
            chains.setdefault((record.account, record.kind), []).append(record)
    if not chains:
        return
    links: list[tuple[Recorded, Link]] = []
    for chain in await store.hold(tx, chains):
        fresh = chains[chain.account, chain.kind]
        links += zip(fresh, seal(chain.head, map(canonical, fresh)), strict=True)
    await store.append(tx, links, clock())
    tx.after_commit(lambda: sealed({account for account, _ in chains}))


def _record(event: Event) -> Recorded:
    record = event.decode(Recorded)
    if record.account != event.account:
        raise Invalid("the record names another account than its event", code="audit.record")
    return storable(record)
