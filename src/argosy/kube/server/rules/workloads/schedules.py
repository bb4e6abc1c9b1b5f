"""When a CronJob is due, as far as it must be valid: the five fields of cron, its names, and time zones."""

from __future__ import annotations

import re
import zoneinfo
from functools import lru_cache
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.server.rules.wording import invalid, quoted

_MONTHS: Final = dict(
    zip(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
        range(1, 13),
        strict=True,
    )
)
_DAYS: Final = dict(zip(("sun", "mon", "tue", "wed", "thu", "fri", "sat"), range(7), strict=True))
_FIELDS: Final[tuple[tuple[int, int, dict[str, int]], ...]] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, _MONTHS),
    (0, 6, _DAYS),
)
_NAMED: Final = {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
_is_duration = re.compile(r"[-+]?(?:0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)").fullmatch
_is_number = re.compile(r"[+-]?[0-9]+").fullmatch
_is_zone_part = re.compile(r"[A-Za-z.\-_0-9+]{1,14}").fullmatch
_NOT_IN_SCHEDULE: Final = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"


def check_schedule(schedule: str, zone: str | None, path: str, *, zone_allowed: bool) -> list[Cause]:
    """`zone_allowed`: the stored schedule names a time zone itself, so this one may."""
    causes: list[Cause] = []
    try:
        _parse(schedule)
    except ValueError as error:
        causes.append(invalid(path, schedule, str(error)))
    if "TZ" in schedule:
        if not zone_allowed:
            causes.append(invalid(path, schedule, _NOT_IN_SCHEDULE))
        elif zone is not None:
            told = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
            causes.append(invalid(path, schedule, told))
    return causes


def check_zone(zone: str | None, path: str) -> list[Cause]:
    if zone is None:
        return []
    if not zone:
        return [invalid(path, zone, "timeZone must be nil or non-empty string")]
    for part in zone.split("/"):
        if part in {".", ".."} or part.startswith("-") or not _is_zone_part(part):
            return [invalid(path, zone, f"unknown time zone {zone}")]
    if zone.lower() == "local":
        told = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        causes = [invalid(path, zone, told)]
        return causes if zone == "Local" else [*causes, invalid(path, zone, f"unknown time zone {zone}")]
    return [] if _is_zone(zone) else [invalid(path, zone, f"unknown time zone {zone}")]


@lru_cache(maxsize=256)
def _is_zone(zone: str) -> bool:
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _parse(schedule: str) -> None:
    text = schedule
    if text.startswith(("TZ=", "CRON_TZ=")):
        head, _, text = text.partition(" ")
        zone = head.partition("=")[2]
        if zone and not _is_zone(zone):
            raise ValueError(f"provided bad location {zone}: unknown time zone {zone}")
        text = text.strip()
    if text.startswith("@"):
        _parse_named(text)
        return
    fields = text.split()
    if len(fields) != len(_FIELDS):
        listed = "[" + " ".join(fields) + "]"
        raise ValueError(f"expected exactly 5 fields, found {len(fields)}: {listed}")
    for field, (low, high, names) in zip(fields, _FIELDS, strict=True):
        for part in field.split(","):
            if part:
                _parse_range(part, low, high, names)


def _parse_named(text: str) -> None:
    if text in _NAMED:
        return
    if text.startswith("@every "):
        duration = text.removeprefix("@every ")
        if not _is_duration(duration):
            raise ValueError(f"failed to parse duration {text}: time: invalid duration {quoted(duration)}")
        return
    raise ValueError(f"unrecognized descriptor: {text}")


def _parse_range(part: str, low: int, high: int, names: dict[str, int]) -> None:
    span, *steps = part.split("/")
    first, *rest = span.split("-")
    if first in {"*", "?"}:
        start, end = low, high
    else:
        start = _number(first, names)
        if len(rest) > 1:
            raise ValueError(f"too many hyphens: {part}")
        end = _number(rest[0], names) if rest else start
    if len(steps) > 1:
        raise ValueError(f"too many slashes: {part}")
    step = _number(steps[0], {}) if steps else 1
    if steps and not rest:
        end = high
    if start < low:
        raise ValueError(f"beginning of range ({start}) below minimum ({low}): {part}")
    if end > high:
        raise ValueError(f"end of range ({end}) above maximum ({high}): {part}")
    if start > end:
        raise ValueError(f"beginning of range ({start}) beyond end of range ({end}): {part}")
    if step == 0:
        raise ValueError(f"step of range should be a positive number: {part}")


def _number(text: str, names: dict[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if not _is_number(text):
        raise ValueError(
            f"failed to parse int from {text}: strconv.Atoi: parsing {quoted(text)}: invalid syntax"
        )
    if len(text) > 18:
        told = f"strconv.Atoi: parsing {quoted(text)}: value out of range"
        raise ValueError(f"failed to parse int from {text}: {told}")
    number = int(text)
    if number < 0:
        raise ValueError(f"negative number ({number}) not allowed: {text}")
    return number
