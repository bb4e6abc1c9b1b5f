"""What identity does by itself: rotates signing keys, and forgets what has expired."""

from __future__ import annotations

import asyncio

from argosy.backends.database import EVERY_ACCOUNT
from argosy.kit.log import get_logger
from argosy.platform.identity.devices import KEPT
from argosy.platform.identity.parts import Parts
from argosy.platform.identity.store import devices, invitations, links, sessions, stand_ins, throttles
from argosy.platform.identity.throttle import FORGOTTEN_AFTER

log = get_logger(__name__)
_SECONDS = 600.0


async def keep_house(parts: Parts) -> None:
    """Until cancelled. A failure ends it; the host starts it again."""
    while True:
        await tidy(parts)
        await asyncio.sleep(_SECONDS)


async def tidy(parts: Parts) -> None:
    if parts.issuer.rotate_when_older(parts.settings.signing_key_days * 86400):
        log.info("identity.signing_key_rotated")
    now = parts.clock()
    async with parts.database.transaction(EVERY_ACCOUNT) as tx:
        await sessions.forget_expired(tx, now, now - parts.settings.idle)
        await links.forget_expired(tx, now)
        await invitations.forget_expired(tx, now)
        await stand_ins.forget_removed(tx)
        await devices.forget_unused(tx, now - KEPT)
        await throttles.forget_before(tx, now - FORGOTTEN_AFTER)
