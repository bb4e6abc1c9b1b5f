"""Where somebody has signed in before, wrong passwords are counted apart from everybody else's.

Five wrong passwords from anywhere close the door of an e-mail, and anybody can type them. So each sign-in leaves a random
token in the browser (a cookie that scripts cannot read) or with the command line. It opens nothing: who shows it with the
right e-mail has an allowance of their own, under the same policy. Guessing from such a device is bounded as it was, and a
person has few of them.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from argosy.backends.database import EVERY_ACCOUNT, Database, Transaction
from argosy.platform.identity import opaque
from argosy.platform.identity.store import devices

KEPT = timedelta(days=180)
MOST = 10


async def allowance(database: Database, email: str, token: str, now: datetime) -> str:
    """The key under which this device's failures for this e-mail are counted; empty where it is not known for it."""
    if not token:
        return ""
    digest = opaque.digest(token)
    async with database.transaction(EVERY_ACCOUNT, read_only=True) as tx:
        known = await devices.is_device_of(tx, digest, email if email.isprintable() else "", now - KEPT)
    return f"device:{digest.hex()}" if known else ""


async def recognised(tx: Transaction, user: str, token: str, now: datetime) -> str:
    """After a sign-in: the device's token, a new one if it had none of this person's."""
    if token and await devices.touch(tx, opaque.digest(token), user, now):
        return token
    fresh = opaque.new_secret()
    await devices.add_device(tx, opaque.digest(fresh), user, now, MOST)
    return fresh
