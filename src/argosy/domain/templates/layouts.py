"""Go's layouts of times: a layout shows how Monday, 2 January 2006, 15:04:05 would be written."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.quoting import quoted

RFC3339 = "2006-01-02T15:04:05.999999999Z07:00"
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PIECES = re.compile(
    r"January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|__2|_2(?!006)|002|01|02|03|04|05|06|15"
    r"|Z07:00:00|Z070000|Z07:00|Z0700|Z07|-07:00:00|-070000|-07:00|-0700|-07"
    r"|PM|pm|[.,]0+(?!\d)|[.,]9+(?!\d)|1|2|3|4|5"
)


def written(at: datetime, layout: str) -> str:
    return _PIECES.sub(lambda found: _piece(at, found[0]), layout)


def _piece(at: datetime, piece: str) -> str:
    hour = at.hour % 12 or 12
    plain = {
        "January": _MONTHS[at.month - 1],
        "Jan": _MONTHS[at.month - 1][:3],
        "Monday": _DAYS[at.weekday()],
        "Mon": _DAYS[at.weekday()][:3],
        "2006": f"{at.year:04d}",
        "06": f"{at.year % 100:02d}",
        "01": f"{at.month:02d}",
        "1": str(at.month),
        "02": f"{at.day:02d}",
        "_2": f"{at.day:2d}",
        "2": str(at.day),
        "002": f"{at.timetuple().tm_yday:03d}",
        "__2": f"{at.timetuple().tm_yday:3d}",
        "15": f"{at.hour:02d}",
        "03": f"{hour:02d}",
        "3": str(hour),
        "04": f"{at.minute:02d}",
        "4": str(at.minute),
        "05": f"{at.second:02d}",
        "5": str(at.second),
        "PM": "AM" if at.hour < 12 else "PM",
        "pm": "am" if at.hour < 12 else "pm",
    }
    if piece in plain:
        return plain[piece]
    if piece[0] in ".,":
        digits = f"{at.microsecond:06d}000"[: len(piece) - 1].ljust(len(piece) - 1, "0")
        digits = digits if piece[1] == "0" else digits.rstrip("0")
        return piece[0] + digits if digits else ""
    return _zone(at, piece)


def _zone(at: datetime, piece: str) -> str:
    offset = at.utcoffset() or timedelta()
    if piece == "MST":
        name = at.tzname() or ""
        return (
            name
            if (name and name[0].isalpha() and name[:3] != "UTC") or name == "UTC"
            else _offset(offset, "-07")
        )
    if piece[0] == "Z":
        return "Z" if not offset else _offset(offset, f"-{piece[1:]}")
    return _offset(offset, piece)


def _offset(offset: timedelta, piece: str) -> str:
    sign, seconds = ("-", -offset) if offset < timedelta() else ("+", offset)
    whole = int(seconds.total_seconds())
    parts = [f"{whole // 3600:02d}", f"{whole // 60 % 60:02d}", f"{whole % 60:02d}"]
    count = (len(piece.replace(":", "")) - 1) // 2
    return sign + (":" if ":" in piece else "").join(parts[:count])


_READERS = {
    "2006": r"(?P<year>\d{4})", "06": r"(?P<short>\d\d)", "01": r"(?P<month>\d\d)", "1": r"(?P<month>\d\d?)",
    "Jan": r"(?P<named>[A-Za-z]{3})", "January": r"(?P<named>[A-Za-z]+)", "Mon": r"[A-Za-z]{3}", "Monday": r"[A-Za-z]+",
    "02": r"(?P<day>\d\d)", "2": r"(?P<day>\d\d?)", "_2": r" ?(?P<day>\d\d?)", "002": r"(?P<of>\d{3})",
    "15": r"(?P<hour>\d\d)", "03": r"(?P<half>\d\d)", "3": r"(?P<half>\d\d?)", "04": r"(?P<minute>\d\d)",
    "4": r"(?P<minute>\d\d?)", "05": r"(?P<second>\d\d)", "5": r"(?P<second>\d\d?)", "PM": r"(?P<noon>AM|PM)",
    "pm": r"(?P<noon>am|pm)", "MST": r"(?P<abbreviation>[A-Z]{3,4}|[+-]\d\d)",
}  # fmt: skip


def read(text: str, layout: str) -> datetime:
    try:
        found = re.compile(_reader(layout), re.ASCII).fullmatch(text)
        if found is not None:
            return _made(found.groupdict())
    except (re.error, ValueError, OverflowError):
        found = None
    raise FunctionError(f"parsing time {quoted(text)} as {quoted(layout)}: cannot parse it")


def _reader(layout: str) -> str:
    parts: list[str] = []
    at = 0
    for piece in _PIECES.finditer(layout):
        parts.append(re.escape(layout[at : piece.start()]))
        parts.append(_reading(piece[0]))
        at = piece.end()
        if piece[0] in {"05", "5"} and layout[at : at + 1] not in {".", ","}:
            parts.append(r"(?:[.,](?P<fraction>\d+))?")
    return "".join([*parts, re.escape(layout[at:])])


def _reading(piece: str) -> str:
    if piece in _READERS:
        return _READERS[piece]
    if piece[0] in ".,":
        count = f"{{{len(piece) - 1}}}" if piece[1] == "0" else "+"
        return rf"(?:[.,](?P<fraction>\d{count})){'' if piece[1] == '0' else '?'}"
    digits = r"[+-]\d\d" + (r":?\d\d" if len(piece) > 3 else "")
    return rf"(?P<offset>Z|{digits})" if piece[0] == "Z" else rf"(?P<offset>{digits})"


def _made(found: dict[str, str | None]) -> datetime:
    def number(name: str, otherwise: int) -> int:
        said = found.get(name)
        return int(said) if said else otherwise

    year = number("year", 0)
    if found.get("short"):
        short = number("short", 0)
        year = short + (1900 if short >= 69 else 2000)
    month = number("month", 1)
    if named := found.get("named"):
        month = next(at for at, name in enumerate(_MONTHS, 1) if name.startswith(named.capitalize()))
    hour = number("hour", 0)
    if found.get("half"):
        hour = number("half", 12) % 12 + (12 if (found.get("noon") or "").upper() == "PM" else 0)
    fraction = ((found.get("fraction") or "0") + "000000")[:6]
    made = datetime(
        year,
        month,
        number("day", 1),
        hour,
        number("minute", 0),
        number("second", 0),
        int(fraction),
        tzinfo=UTC,
    )
    if found.get("of"):
        made = datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=number("of", 1) - 1)
    return made.replace(tzinfo=_read_offset(found.get("offset")))


def _read_offset(said: str | None) -> timezone:
    if said is None or said == "Z":
        return UTC
    digits = said[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if said[0] == "-" else offset)
