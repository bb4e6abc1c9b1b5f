"""How long ago something was, for people: `5s`, `3m10s`, `2d4h`, `1y30d`. Two or three digits that matter."""

from __future__ import annotations

from datetime import UTC, datetime

from argosy.kit import clock

UNKNOWN = "<unknown>"
_YEAR_HOURS = 24 * 365


def since(moment: str | None) -> str:
    if not moment:
        return UNKNOWN
    return human((clock.now() - read(moment)).total_seconds())


def between(start: str, end: str) -> str:
    return human((read(end) - read(start)).total_seconds())


def read(moment: str) -> datetime:
    """RFC 3339. `ValueError` when it is none."""
    found = datetime.fromisoformat(moment)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def human(duration: float) -> str:
    seconds = int(duration)
    if seconds < -1:
        return "<invalid>"
    if seconds < 120:
        return f"{max(seconds, 0)}s"
    minutes = seconds // 60
    if minutes < 10:
        return _two(minutes, "m", seconds % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    return _hours(seconds // 3600, minutes % 60)


def _hours(hours: int, minutes: int) -> str:
    days = hours // 24
    if hours < 8:
        return _two(hours, "h", minutes, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    if hours < 2 * _YEAR_HOURS:
        return f"{days}d"
    if hours < 8 * _YEAR_HOURS:
        return _two(hours // _YEAR_HOURS, "y", days % 365, "d")
    return f"{hours // _YEAR_HOURS}y"


def _two(many: int, unit: str, rest: int, small: str) -> str:
    return f"{many}{unit}{rest}{small}" if rest else f"{many}{unit}"
