"""When a session was last seen and a key last used: kept roughly, written in groups, never in a request's way.

`credentials` notes each exchange here; a row is written at most once a minute. What is lost with the process is a few
seconds of it.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction
from argosy.kit.clock import Clock
from argosy.platform.identity.store import keys, sessions, users

COARSE = timedelta(minutes=1)
_FLUSH_SECONDS = 5.0


class Touches:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self._keys: dict[str, datetime] = {}
        self._sessions: dict[str, datetime] = {}
        self._members: dict[tuple[str, str], datetime] = {}

    def key_used(self, id: str, last: datetime | None) -> None:
        now = self._clock()
        if last is None or now - last >= COARSE:
            self._keys[id] = now

    def session_seen(self, id: str, account: str, user: str, last: datetime) -> None:
        now = self._clock()
        if now - last >= COARSE:
            self._sessions[id] = now
            self._members[account, user] = now

    async def run(self) -> None:
        try:
            while True:
                await asyncio.sleep(_FLUSH_SECONDS)
                await self.flush()
        finally:
            await asyncio.shield(self.flush())

    async def flush(self) -> None:
        if self._keys or self._sessions:
            await self._database.run(EVERY_ACCOUNT, self._write)

    async def _write(self, tx: Transaction) -> None:
        used, seen, members = dict(self._keys), dict(self._sessions), dict(self._members)
        # In one order, so that two instances that write the same rows do not block each other in a ring.
        await keys.used(tx, sorted(used.items()))
        await sessions.seen(tx, sorted(seen.items()))
        await users.seen(tx, sorted((account, user, when) for (account, user), when in members.items()))
        tx.after_commit(lambda: self._written(used, seen, members))

    def _written(
        self, used: dict[str, datetime], seen: dict[str, datetime], members: dict[tuple[str, str], datetime]
    ) -> None:
        """Forget what was written, but not what came meanwhile."""
        self._keys = {id: when for id, when in self._keys.items() if used.get(id) != when}
        self._sessions = {id: when for id, when in self._sessions.items() if seen.get(id) != when}
        self._members = {who: when for who, when in self._members.items() if members.get(who) != when}
