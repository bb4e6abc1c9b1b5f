"""The event port: what a service committed reaches every consumer once, in order per key, whatever is killed.

A service publishes through its `Outbox` in the transaction of its change. It declares `Consumer`s; `host` runs each
with an `EventTransport`. `effects` is where exactly-once happens, `source` where the order is read, `dead_letters`
where an event goes that cannot be handled. Each transport passes `tests/conformance/events`.
"""

from argosy.backends.events.consumer import Consumer, EventTransport
from argosy.backends.events.dead_letters import DeadLetter, DeadLetters
from argosy.backends.events.outbox import Outbox, prune
from argosy.backends.events.postgres import PostgresTransport
from argosy.backends.events.progress import rewind

__all__ = [
    "Consumer",
    "DeadLetter",
    "DeadLetters",
    "EventTransport",
    "Outbox",
    "PostgresTransport",
    "prune",
    "rewind",
]
