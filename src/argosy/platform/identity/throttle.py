"""How often somebody may guess: a pure policy over a count that lies in PostgreSQL, per e-mail and per remote address.

An attempt is charged before the password is looked at and refunded when it was right, so neither many at once nor a
crash in between gives a free guess. Counts are never evicted for lack of room, only forgotten after a quiet day.
`guard` does the charging; `store/throttles` keeps the rows.
"""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass
from datetime import datetime, timedelta

FORGOTTEN_AFTER = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Policy:
    """After `free` attempts each further one doubles the wait, from `first` to `most`."""

    free: int
    first: timedelta
    most: timedelta


PER_EMAIL = Policy(free=5, first=timedelta(seconds=30), most=timedelta(hours=1))
PER_REMOTE = Policy(free=50, first=timedelta(seconds=30), most=timedelta(minutes=15))


@dataclass(frozen=True, slots=True)
class Count:
    failures: int = 0
    last: datetime | None = None
    locked_until: datetime | None = None


def wait_left(count: Count, now: datetime) -> float:
    """Seconds until the next attempt is looked at; 0 when it may come now."""
    if count.locked_until is None:
        return 0.0
    return max(0.0, (count.locked_until - now).total_seconds())


def charged(count: Count, policy: Policy, now: datetime) -> Count:
    """One more failure: the attempt that uses up the free ones closes the door behind it."""
    if count.last is not None and now - count.last > FORGOTTEN_AFTER:
        count = Count()
    failures = count.failures + 1
    beyond = failures - policy.free
    locked = None
    if beyond >= 0:
        doubled = policy.first.total_seconds() * 2 ** min(beyond, 20)
        locked = now + min(policy.most, timedelta(seconds=doubled))
    return Count(failures, now, locked)


def refunded(count: Count, policy: Policy) -> Count:
    """The charge of an attempt that was right taken back; other failures from there keep counting."""
    failures = max(0, count.failures - 1)
    return Count(failures, count.last, count.locked_until if failures >= policy.free else None)


def email_key(email: str) -> str:
    """Hashed, so that the table of failures is no list of addresses that people mistyped."""
    return "email:" + hashlib.sha256(email.encode("utf-8", "surrogatepass")).hexdigest()


def remote_key(remote: str) -> str:
    """One IPv4 address; of IPv6 the /64 that a single customer holds. Empty: nothing to count by."""
    if not remote:
        return ""
    try:
        address = ipaddress.ip_address(remote)
    except ValueError:
        return "remote:" + hashlib.sha256(remote.encode("utf-8", "surrogatepass")).hexdigest()
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return f"remote:{address.ipv4_mapped}"
        return f"remote:{ipaddress.ip_network((int(address), 64), strict=False)}"
    return f"remote:{address}"
