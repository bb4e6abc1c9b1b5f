"""Who holds the token that came to a port of this process: a part by its own assertion, or whoever identity vouches for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from argosy.contracts.identity import Identity
from argosy.kit.calls import service_call, service_principal
from argosy.kit.operations import Nothing
from argosy.kit.rpc.server import Claimed
from argosy.kit.tokens import AssertionVerifier, FetchedKeys, TokenVerifier, is_assertion


class PortAuthentication:
    def __init__(self, secrets: Path, identity_for: Callable[[str], Identity]) -> None:
        self._assertions = AssertionVerifier(secrets)
        self._identity_for = identity_for
        self._verifiers: dict[str, TokenVerifier] = {}

    async def __call__(self, token: str, audience: str) -> Claimed:
        if audience == "identity" and is_assertion(token):
            name = self._assertions.verify(token)
            return Claimed(service_principal(name), name)
        claims = await self._verifier(audience).verify(token)
        return Claimed(claims.p, claims.act)

    def _verifier(self, audience: str) -> TokenVerifier:
        if audience not in self._verifiers:
            identity = self._identity_for(audience)

            async def fetch() -> str:
                return (await identity.key_set(call=service_call(audience), request=Nothing())).jwks

            self._verifiers[audience] = TokenVerifier(FetchedKeys(fetch), audience)
        return self._verifiers[audience]
