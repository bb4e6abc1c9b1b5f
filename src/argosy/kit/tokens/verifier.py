"""Checks a token at a port: the signature once, the times at every use.

One per audience in each process; `kit.rpc.server` and the gateway's streams call it. A token that was found good is
remembered by its digest until it expires, because one call of a person becomes several between parts.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable

from argosy.kit.tokens.claims import KIND, Claims, checked
from argosy.kit.tokens.compact import LEEWAY_SECONDS, key_name, payload, refused
from argosy.kit.tokens.keys import Keys

_REMEMBERED = 4096


class TokenVerifier:
    def __init__(self, keys: Keys, audience: str, clock: Callable[[], float] = time.time) -> None:
        self._keys, self._audience, self._clock = keys, audience, clock
        self._good: OrderedDict[bytes, Claims] = OrderedDict()

    async def verify(self, token: str) -> Claims:
        """The claims, of which `p` is who asks. Raises Unauthenticated with the reason."""
        digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        if (known := self._good.get(digest)) is not None:
            if self._clock() < known.exp + LEEWAY_SECONDS:
                return known
            del self._good[digest]
        kid = key_name(token, KIND)
        key = await self._keys.named(kid)
        if key is None:
            raise refused("nobody knows the key that signed it")
        claims = checked(payload(token, key), self._audience, self._clock())
        self._good[digest] = claims
        if len(self._good) > _REMEMBERED:
            self._good.popitem(last=False)
        return claims
