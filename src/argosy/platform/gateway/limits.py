"""Token buckets, one per credential or address: pure arithmetic over the time it is given.

The table is bounded: beyond the limit the fullest buckets (who asked least lately) are forgotten, which only ever
favours a caller who was quiet.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

_TABLE_LIMIT = 10_000


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Limiter:
    def __init__(self, per_second: float, burst: int) -> None:
        self._rate, self._burst = per_second, float(burst)
        self._buckets: dict[str, _Bucket] = {}

    def take(self, who: str, now: float) -> float:
        """0.0 when the request may pass, else the seconds until one would."""
        bucket = self._buckets.get(who)
        if bucket is None:
            if len(self._buckets) >= _TABLE_LIMIT:
                self._forget(now)
            bucket = self._buckets[who] = _Bucket(self._burst, now)
        bucket.tokens = self._level(bucket, now)
        bucket.at = max(now, bucket.at)
        if bucket.tokens >= 1.0:
            bucket.tokens -= 1.0
            return 0.0
        return (1.0 - bucket.tokens) / self._rate

    def give_back(self, who: str) -> None:
        """What was taken turned out to be somebody else's to pay."""
        if (bucket := self._buckets.get(who)) is not None:
            bucket.tokens = min(self._burst, bucket.tokens + 1.0)

    def _level(self, bucket: _Bucket, now: float) -> float:
        return min(self._burst, bucket.tokens + max(0.0, now - bucket.at) * self._rate)

    def _forget(self, now: float) -> None:
        by_level = sorted(self._buckets, key=lambda who: -self._level(self._buckets[who], now))
        for who in by_level[: _TABLE_LIMIT // 2]:
            del self._buckets[who]


def address_key(remote: str) -> str:
    """One IPv4 address; of IPv6 the /64, which a single customer holds whole."""
    try:
        address = ipaddress.ip_address(remote)
    except ValueError:
        return remote
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address), 64), strict=False))
    return remote
