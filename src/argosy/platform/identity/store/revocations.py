"""The wake-up call of a revocation. Within its transaction, unlike most hints: it is rare and must not get lost."""

from __future__ import annotations

import msgspec

from argosy.backends.database import Transaction
from argosy.contracts.identity import Revoked

CHANNEL = "identity_revoked"


async def tell(tx: Transaction, revoked: Revoked) -> None:
    await tx.execute("SELECT pg_notify($1, $2)", CHANNEL, msgspec.json.encode(revoked).decode())
