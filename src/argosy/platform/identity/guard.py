"""Stands before every check of a password: charges the attempt, lets it through or not, and refunds what was right.

Whoever shows a device or a session that is known for the e-mail has an allowance of its own (`devices`), which nobody
elsewhere can use up; all others share that of the e-mail, and that of the address they come from.

Attempts for one e-mail take turns within this process, so that a person's ten tabs that sign in at once do not look
like ten guesses. Between processes the row locks of `store/throttles` count exactly. The policy is in `throttle`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction
from argosy.kit.clock import Clock
from argosy.kit.errors import TooMany
from argosy.platform.identity.store import throttles
from argosy.platform.identity.throttle import (
    PER_EMAIL,
    PER_REMOTE,
    Policy,
    charged,
    email_key,
    refunded,
    remote_key,
    wait_left,
)

T = TypeVar("T")
_MOST_IN_TURN = 20


class Guard:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self._turns: dict[str, tuple[asyncio.Lock, int]] = {}

    async def attempt(
        self, email: str, remote: str, check: Callable[[], Awaitable[T | None]], own: str = ""
    ) -> T | None:
        """What `check` answers; None is a failure and stays charged. Raises TooMany while the door is closed. `own` is
        the key of the caller's own allowance."""
        forgiven = own or email_key(email)
        policies = {forgiven: PER_EMAIL}
        if not own and (key := remote_key(remote)):
            policies[key] = PER_REMOTE
        async with self._turn(own or email):
            await self._database.run(EVERY_ACCOUNT, lambda tx: self._charge(tx, policies))
            try:
                found = await check()
            except TooMany:  # nothing was compared, so nothing was guessed
                await self._database.run(EVERY_ACCOUNT, lambda tx: self._refund(tx, policies))
                raise
            if found is not None:
                await self._database.run(EVERY_ACCOUNT, lambda tx: self._settle(tx, policies, forgiven))
            return found

    async def _charge(self, tx: Transaction, policies: dict[str, Policy]) -> None:
        now = self._clock()
        counts = await throttles.locked_counts(tx, list(policies), now)
        if wait := max(wait_left(counts[key], now) for key in policies):
            raise locked(wait)
        for key, policy in policies.items():
            await throttles.keep(tx, key, charged(counts[key], policy, now))

    async def _refund(self, tx: Transaction, policies: dict[str, Policy]) -> None:
        counts = await throttles.locked_counts(tx, list(policies), self._clock())
        for key, policy in policies.items():
            await throttles.keep(tx, key, refunded(counts[key], policy))

    async def _settle(self, tx: Transaction, policies: dict[str, Policy], forgiven: str) -> None:
        """A success forgives the e-mail's failures, or those of the caller's own allowance; of the address's only this
        attempt, or one good account would let its owner try everybody else's."""
        await self._refund(tx, policies)
        await throttles.clear(tx, forgiven)

    @asynccontextmanager
    async def _turn(self, email: str) -> AsyncIterator[None]:
        lock, waiting = self._turns.get(email, (asyncio.Lock(), 0))
        if waiting >= _MOST_IN_TURN:
            raise locked(5.0)
        self._turns[email] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._turns[email]
            if waiting == 1:
                del self._turns[email]
            else:
                self._turns[email] = (lock, waiting - 1)


def locked(wait: float) -> TooMany:
    return TooMany(
        "too many failed attempts", retry_after=wait, code="auth.locked", cure="wait a while, then try again"
    )
