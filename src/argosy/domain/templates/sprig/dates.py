"""Sprig's functions on times. The local zone is UTC, as in upstream's containers; layouts are Go's (`2006-01-02`)."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime, timedelta, tzinfo

from argosy.domain.templates import durations, layouts
from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.values import Int64, Moment, int64
from argosy.kit import clock

_NO_TIME = datetime(1, 1, 1, tzinfo=UTC)


def now() -> object:
    return Moment(clock.now().astimezone(UTC))


def _moment(value: object) -> datetime:
    """Of seconds since 1970, too; now, when it is something else."""
    if isinstance(value, Moment):
        return value.at
    if type(value) in {int, Int64}:
        assert isinstance(value, int)
        try:
            return datetime.fromtimestamp(value, UTC)
        except (ValueError, OverflowError, OSError) as error:
            raise FunctionError(f"{value} seconds are no time") from error
    return clock.now().astimezone(UTC)


def _zone(name: str) -> tzinfo:
    if name in {"", "UTC", "Local"}:
        return UTC
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def date_in_zone(layout: str, value: object, zone: str) -> str:
    return layouts.written(_moment(value).astimezone(_zone(zone)), layout)


def date(layout: str, value: object) -> str:
    return date_in_zone(layout, value, "UTC")


def html_date(value: object) -> str:
    return date("2006-01-02", value)


def html_date_in_zone(value: object, zone: str) -> str:
    return date_in_zone("2006-01-02", value, zone)


def must_date_modify(by: str, value: Moment) -> object:
    seconds = durations.parse(by) / 10**9
    try:
        return Moment(value.at + timedelta(seconds=seconds))
    except OverflowError as error:
        raise FunctionError(f"{by} is too long") from error


def date_modify(by: str, value: Moment) -> object:
    try:
        return must_date_modify(by, value)
    except FunctionError:
        return value


def ago(value: object) -> str:
    seconds = round((clock.now() - _moment(value)).total_seconds())
    return durations.shown(seconds * 10**9)


def duration(seconds: object) -> str:
    number = 0
    if type(seconds) is Int64 or (
        isinstance(seconds, str) and len(seconds) < 20 and seconds.lstrip("+-").isdecimal()
    ):
        number = int(seconds)
    return durations.shown(int64(number * 10**9))


def duration_round(value: object) -> str:
    nanoseconds = 0
    if isinstance(value, str):
        try:
            nanoseconds = durations.parse(value)
        except FunctionError:
            nanoseconds = 0
    elif type(value) is Int64:
        nanoseconds = int(value)
    elif isinstance(value, Moment):
        nanoseconds = round((clock.now() - value.at).total_seconds() * 10**9)
    return durations.rounded(nanoseconds)


def must_to_date(layout: str, text: str) -> object:
    return Moment(layouts.read(text, layout))


def to_date(layout: str, text: str) -> object:
    try:
        return must_to_date(layout, text)
    except FunctionError:
        return Moment(_NO_TIME)


def unix_epoch(value: Moment) -> str:
    return str(int(value.at.timestamp()))


def _unix(one: Moment) -> object:
    return Int64(int(one.at.timestamp()))


def _year(one: Moment) -> int:
    return one.at.year


def _day(one: Moment) -> int:
    return one.at.day


def _hour(one: Moment) -> int:
    return one.at.hour


def _minute(one: Moment) -> int:
    return one.at.minute


def _second(one: Moment) -> int:
    return one.at.second


def _year_day(one: Moment) -> int:
    return one.at.timetuple().tm_yday


def _month(one: Moment) -> str:
    return layouts.written(one.at, "January")


def _weekday(one: Moment) -> str:
    return layouts.written(one.at, "Monday")


def _format(one: Moment, layout: str) -> str:
    return layouts.written(one.at, layout)


def _utc(one: Moment) -> object:
    return Moment(one.at.astimezone(UTC))


FUNCTIONS: dict[str, Implementation] = {
    "ago": ago,
    "date": date,
    "dateInZone": date_in_zone,
    "dateModify": date_modify,
    "date_in_zone": date_in_zone,
    "date_modify": date_modify,
    "duration": duration,
    "durationRound": duration_round,
    "htmlDate": html_date,
    "htmlDateInZone": html_date_in_zone,
    "mustDateModify": must_date_modify,
    "mustToDate": must_to_date,
    "must_date_modify": must_date_modify,
    "now": now,
    "toDate": to_date,
    "unixEpoch": unix_epoch,
}
METHODS: dict[str, Implementation] = {
    "Day": _day,
    "Format": _format,
    "Hour": _hour,
    "Minute": _minute,
    "Month": _month,
    "Second": _second,
    "UTC": _utc,
    "Unix": _unix,
    "Weekday": _weekday,
    "Year": _year,
    "YearDay": _year_day,
}
