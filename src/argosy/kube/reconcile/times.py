"""Moments as Kubernetes writes them: RFC 3339 in whole seconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from argosy.kit import clock


def stamp(moment: datetime | None = None) -> str:
    return f"{(moment or clock.now()).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def micro_stamp(moment: datetime | None = None) -> str:
    return f"{(moment or clock.now()).astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"


def parse(text: object) -> datetime | None:
    """None for what is missing or no time at all."""
    if not isinstance(text, str) or not text:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def seconds_until(text: object, seconds: float, now: datetime) -> float:
    """Until `seconds` after the moment; 0 when that is past, or when there is no moment."""
    start = parse(text)
    if start is None:
        return 0.0
    return max((start + timedelta(seconds=seconds) - now).total_seconds(), 0.0)
