"""Where an event is first written down: beside the change that it tells of, in the same transaction.

Services publish here, `source` reads. Rows stay as a tail of some days, so that a new read model can be built.
"""

from __future__ import annotations

from datetime import timedelta

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction
from argosy.backends.events import metrics
from argosy.contracts.events import Event
from argosy.kit.clock import now

CHANNEL = "argosy_outbox"
TAIL = timedelta(days=14)

_PAYLOAD_LIMIT = 4000
_PRUNE_BATCH = 1000
_INBOX_MARGIN = timedelta(days=7)  # longer than any event may still be delivered again
_PUBLISH = """
INSERT INTO outbox (id, type, account, key, time, body)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::json[])
"""
_PRUNE = """
WITH old AS (
  DELETE FROM outbox WHERE seq IN (
    SELECT seq FROM (SELECT seq, time FROM outbox ORDER BY seq LIMIT $2) AS first WHERE time < $1)
  RETURNING seq),
last AS (SELECT max(seq) AS seq, count(*) AS pruned FROM old)
UPDATE outbox_state SET pruned_seq = last.seq FROM last WHERE last.pruned > 0 RETURNING last.pruned
"""
_PRUNE_INBOX = """
DELETE FROM inbox WHERE (consumer, id) IN (SELECT consumer, id FROM inbox WHERE handled < $1 LIMIT $2)
"""


class Outbox:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def publish(self, tx: Transaction, *events: Event) -> None:
        """In `tx`, so that the events stand or fall with what it changes. Their order is kept."""
        if not events:
            return
        await tx.execute(
            _PUBLISH,
            [event.id for event in events],
            [event.type for event in events],
            [event.account for event in events],
            [event.key for event in events],
            [event.time for event in events],
            [bytes(event.body).decode() for event in events],
        )
        types = ",".join(sorted({event.type for event in events}))
        payload = f"{self._database.schema} {types if len(types) < _PAYLOAD_LIMIT else '*'}"

        def committed() -> None:
            metrics.published.labels(self._database.service).inc(len(events))
            self._database.notify_soon(CHANNEL, payload)

        tx.after_commit(committed)


async def prune(database: Database, keep: timedelta = TAIL) -> int:
    """Forgets events older than `keep`, and that they were handled a week later. In small steps, run by the host.

    A consumer that had not come so far finds that out and fails loudly: it cannot be complete any more.
    """
    pruned = 0
    while True:
        async with database.transaction(EVERY_ACCOUNT) as tx:
            count = await tx.fetchval(_PRUNE, now() - keep, _PRUNE_BATCH)
        if not count:
            break
        pruned += int(count)
    while True:
        async with database.transaction(EVERY_ACCOUNT) as tx:
            if not await tx.execute(_PRUNE_INBOX, now() - keep - _INBOX_MARGIN, _PRUNE_BATCH):
                return pruned
