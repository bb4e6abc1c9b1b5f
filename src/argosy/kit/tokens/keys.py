"""Where a verifier finds public keys: a fixed set, or identity's published one, fetched when needed.

A name that is not in the set makes one fetch, at most one a second however many false names are shown: a new key is
published well before it signs (`platform/identity/issuer`), so no true token waits for that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

import msgspec
from joserfc.jwk import ECKey

from argosy.kit.errors import DeadlineExceeded, Internal, Unavailable
from argosy.kit.log import get_logger
from argosy.kit.tokens.compact import import_public

log = get_logger(__name__)
_BETWEEN_FETCHES = 1.0
_OLDEST = 60.0  # so that a key that was withdrawn is soon forgotten here too


class Keys(Protocol):
    async def named(self, kid: str) -> ECKey | None:
        """The key of exactly this name."""


class FixedKeys:
    def __init__(self, keys: Mapping[str, ECKey]) -> None:
        self._keys = dict(keys)

    async def named(self, kid: str) -> ECKey | None:
        return self._keys.get(kid)


class FetchedKeys:
    """`fetch` answers a JWKS as JSON text: `Identity.key_set`."""

    def __init__(
        self, fetch: Callable[[], Awaitable[str]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fetch, self._clock = fetch, clock
        self._keys: Mapping[str, ECKey] = {}
        self._fetched = float("-inf")
        self._turn = asyncio.Lock()

    async def named(self, kid: str) -> ECKey | None:
        if self._needs_fetch(kid):
            async with self._turn:
                if self._needs_fetch(kid):  # whoever waited finds it done
                    await self._refresh(kid)
        return self._keys.get(kid)

    async def _refresh(self, kid: str) -> None:
        try:
            self._keys = parse_key_set(await self._fetch())
        except (Unavailable, DeadlineExceeded):
            if kid not in self._keys:
                raise
            log.info("tokens.key_set_not_refreshed")  # identity is restarting: what was known still verifies
        self._fetched = self._clock()

    def _needs_fetch(self, kid: str) -> bool:
        age = self._clock() - self._fetched
        return age > _OLDEST or (kid not in self._keys and age > _BETWEEN_FETCHES)


class _KeySet(msgspec.Struct, frozen=True):
    keys: list[dict[str, object]]


def parse_key_set(text: str) -> dict[str, ECKey]:
    try:
        documents = msgspec.json.decode(text, type=_KeySet).keys
        return {str(document["kid"]): import_public(document) for document in documents}
    except (msgspec.MsgspecError, KeyError) as error:
        raise Internal("the key set of identity is malformed", code="auth.key_set") from error
