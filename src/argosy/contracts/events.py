"""Events: what happened, in the past tense, published through a service's outbox in the transaction that made it true.

A type is `<service>.<thing>.<happened>.v<n>`. Events with the same `key` reach a consumer in order.
`backends.events` moves them; each service's own event bodies stand in its contract.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias, TypeVar

import msgspec

from argosy.kit.clock import now
from argosy.kit.ids import new_id

B = TypeVar("B", bound=msgspec.Struct)
Body: TypeAlias = type[B]  # inside Event, `type` is a field


class Event(msgspec.Struct, frozen=True):
    id: str
    type: str
    account: str  # empty: concerns the whole installation
    key: str
    time: datetime
    body: msgspec.Raw

    def decode(self, kind: Body[B]) -> B:
        return msgspec.json.decode(self.body, type=kind)


def event(type: str, *, account: str, key: str, body: msgspec.Struct) -> Event:
    return Event(new_id(), type, account, key, now(), msgspec.Raw(msgspec.json.encode(body)))
