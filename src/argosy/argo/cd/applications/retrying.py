"""When a failed sync is tried again."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec import UNSET

from argosy.argo.cd.applications.durations import seconds
from argosy.contracts.argo.operation import Retry

_FIRST, _FACTOR, _LONGEST = 5.0, 2, 180.0
_FARTHEST = 10**9


def limit(retry: Retry | None) -> int:
    """Of attempts after the first; negative: no end."""
    return 0 if retry is None or retry.limit is UNSET else int(retry.limit)


def is_left(retry: Retry | None, attempts: int) -> bool:
    allowed = limit(retry)
    return allowed < 0 or attempts < allowed


def next_attempt(retry: Retry | None, failed_at: datetime, attempts: int) -> datetime:
    """Raises ValueError when the strategy has a duration that is none."""
    backoff = retry.backoff if retry is not None else None
    first = seconds(backoff.duration) if backoff is not None and backoff.duration else _FIRST
    longest = seconds(backoff.max_duration) if backoff is not None and backoff.max_duration else _LONGEST
    factor = backoff.factor if backoff is not None and backoff.factor is not None else _FACTOR
    wait = _power(first, factor, attempts)
    return failed_at + timedelta(seconds=min(wait, longest) if longest > 0 else min(wait, _FARTHEST))


def self_heal_pause(attempts: int) -> float:
    """Grows so that two who fight over a field do not do it all day long."""
    return 0.0 if attempts <= 0 else min(2.0 * 3.0 ** min(attempts - 1, 10), 300.0)


def _power(first: float, factor: int, attempts: int) -> float:
    try:
        return first * float(factor) ** attempts
    except OverflowError:
        return float(_FARTHEST)
