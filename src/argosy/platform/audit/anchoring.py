"""Signs the heads of chains and writes them outside the database: soon after entries come, and before it stops.

At most once per second, however many entries come. A crash before an anchor loses nothing: at the start all heads
that are ahead of their anchors are signed first.
"""

from __future__ import annotations

import asyncio
from itertools import groupby

from argosy.kit.clock import Clock
from argosy.kit.errors import ArgosyError
from argosy.kit.log import get_logger
from argosy.platform.audit.anchors import Anchors
from argosy.platform.audit.signing import Signer, Statement
from argosy.platform.audit.store import Store

log = get_logger(__name__)

_APART_SECONDS = 1.0


class Anchoring:
    def __init__(self, store: Store, anchors: Anchors, signer: Signer, clock: Clock) -> None:
        self._store, self._anchors, self._signer, self._clock = store, anchors, signer, clock
        self._news = asyncio.Event()

    def wake(self) -> None:
        self._news.set()

    async def run(self) -> None:
        try:
            while True:
                self._news.clear()
                await self.anchor()
                await asyncio.sleep(_APART_SECONDS)
                await self._news.wait()
        finally:
            await asyncio.shield(self._last())

    async def anchor(self) -> int:
        """How many heads were signed. They are on the disk before the database is told."""
        now = self._clock()
        heads = [
            self._signer.sign("head", chain.account, chain.kind, chain.head, now)
            for chain in await self._store.chains(not_anchored=True)
        ]
        if heads:
            await asyncio.to_thread(self._write, heads)
            await self._store.anchored(heads)
        return len(heads)

    def _write(self, heads: list[Statement]) -> None:
        for account, statements in groupby(heads, key=lambda head: head.account):
            self._anchors.append(account, statements)

    async def _last(self) -> None:
        try:
            await self.anchor()
        except (ArgosyError, OSError) as error:
            log.warning("audit.not_anchored", reason=str(error), then="at the next start")
