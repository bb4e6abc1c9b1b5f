"""A cron expression and its time zone, checked: what is wrong is named by field, with what would be right.

cronsim knows the five fields; here its verdict becomes an answer that a person can act on. The times
themselves are in `occurrences`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from argosy.kit.errors import Invalid

EXPRESSION = "cron.expression"
TIME_ZONE = "cron.time_zone"

_FIELDS = (
    ("minute", "0-59"),
    ("hour", "0-23"),
    ("day-of-month", "1-31, L (last day) or LW (last weekday)"),
    ("month", "1-12 or JAN-DEC"),
    ("day-of-week", "0-7 (0 and 7 are Sunday), SUN-SAT, 5L (last Friday) or 1#2 (second Monday)"),
)
_SHORTHANDS = {
    "@YEARLY": "0 0 1 1 *", "@ANNUALLY": "0 0 1 1 *", "@MONTHLY": "0 0 1 * *", "@WEEKLY": "0 0 * * 0",
    "@DAILY": "0 0 * * *", "@MIDNIGHT": "0 0 * * *", "@HOURLY": "0 * * * *",
}  # fmt: skip
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC).replace(
    tzinfo=None
)  # a local time: `occurrences` applies the zone


@dataclass(frozen=True, slots=True)
class Timetable:
    """`fixed`: it names its minutes and hours, so Debian's rules for a changed clock apply to it (`occurrences`)."""

    expression: str
    zone: ZoneInfo
    fixed: bool


def timetable(expression: str, time_zone: str) -> Timetable:
    """Raises `Invalid` with code `cron.expression` or `cron.time_zone`."""
    fields = expression.split()
    _check(expression, fields)
    minute, hour = fields[:2]
    fixed = not minute.startswith("*") and not hour.startswith("*")
    return Timetable(" ".join(fields), _zone(time_zone), fixed)


def _check(expression: str, fields: list[str]) -> None:
    if (longhand := _SHORTHANDS.get(expression.strip().upper())) is not None:
        raise _wrong(f"'{expression.strip()}' is a shorthand, five fields are needed", f"write: {longhand}")
    if len(fields) != 5:
        raise _wrong(
            f"'{expression}' has {len(fields)} fields, five are needed",
            "write minute, hour, day-of-month, month and day-of-week, for example: 30 4 * * 1-5",
        )
    for position, text in enumerate(fields):
        _check_field(position, text)
    try:
        next(CronSim(" ".join(fields), _ANY_DAY))
    except (CronSimError, StopIteration) as error:
        raise _wrong(
            f"'{expression}' never comes due: no such date exists",
            "check the day-of-month against the month",
            "day-of-month",
        ) from error


def _check_field(position: int, text: str) -> None:
    name, allowed = _FIELDS[position]
    for term in text.split(","):
        if not _stands_alone(position, term):
            raise _wrong(
                f"{name}: '{term}' is not possible",
                f"allowed are {allowed}, *, lists (1,2), ranges (1-5) and steps (*/2)",
                name,
            )


def _stands_alone(position: int, term: str) -> bool:
    """Whether this one term, with every other field open, is something cronsim understands."""
    fields = ["*"] * 5
    fields[position] = term
    try:
        CronSim(" ".join(fields), _ANY_DAY)
    except CronSimError:
        return False
    return term.isascii()


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid(
            f"'{name}' is not a known time zone",
            code=TIME_ZONE,
            cure="use a name of the IANA list, such as Europe/Berlin or UTC",
            context={"field": "time_zone"},
        ) from error


def _wrong(message: str, cure: str, part: str = "") -> Invalid:
    return Invalid(message, code=EXPRESSION, cure=cure, context={"field": "expression", "part": part})
