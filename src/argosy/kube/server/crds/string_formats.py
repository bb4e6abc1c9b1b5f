"""The formats of texts that a schema may ask for, as Kubernetes checks them. An unknown format asks for nothing."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Callable
from typing import Final

Check = Callable[[str], bool]

_UNITS = ("ns", "nano", "us", "µs", "micro", "ms", "milli", "s", "sec", "m", "min", "h", "hr", "hour", "d", "day", "w", "wk", "week")  # fmt: skip
_PREFIXES = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_GO_DURATION = re.compile(r"[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_DURATION = re.compile(r"(\d+)\s*([A-Za-zµ]+)")
_CLOCK = re.compile(r"(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})", re.ASCII)
_CARD = re.compile(
    r"4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}",
    re.ASCII,
)
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+"
_EMAIL = re.compile(
    rf"(?:[^<>\"]*<)?({_ATOM}(?:\.{_ATOM})*|\"[^\"\\]*\")@({_ATOM}(?:\.{_ATOM})*|\[[0-9A-Fa-f:.]+\])>?(?:\s*\([^()]*\))?"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_AUTHORITY = re.compile(
    r"(?:[A-Za-z0-9._:~!$&'()*+,;=%@-]*@)?"
    r"(?:\[[0-9A-Fa-f:.]*(?:%25[^\]]*)?\]|(?:[^\x00-\x20\"%/:<>?@\[\\\]^`{|}#\x7f]|%[89A-Fa-f][0-9A-Fa-f]|[\"<>])*)(?::[0-9]*)?"
)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


def _pattern(pattern: str, *, flags: int = 0) -> Check:
    compiled = re.compile(pattern, flags | re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _uuid(version: str = "", variant: str = "") -> Check:
    third = f"{version}[0-9a-f]{{3}}" if version else "[0-9a-f]{4}"
    fourth = f"{variant}[0-9a-f]{{3}}" if variant else "[0-9a-f]{4}"
    return _pattern(f"[0-9a-f]{{8}}-?[0-9a-f]{{4}}-?{third}-?{fourth}-?[0-9a-f]{{12}}", flags=re.IGNORECASE)


def _uri(text: str) -> bool:
    if any(char < " " or char == "\x7f" for char in text):
        return False
    scheme = _SCHEME.match(text)
    rest = text[scheme.end() if scheme else 0 :].partition("?")[0]
    if not rest.startswith("/"):
        return scheme is not None or text == "*"  # what stands behind its scheme is nobody's business
    if scheme is not None and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        return _AUTHORITY.fullmatch(authority) is not None and not _BAD_ESCAPE.search(slash + path)
    return not _BAD_ESCAPE.search(rest.partition("#")[0])


def _email(text: str) -> bool:
    return _EMAIL.fullmatch(text.strip()) is not None


def _hostname(text: str) -> bool:
    labels = text.split(".")
    if not text or len(text.encode()) > 255 or any(len(one.encode()) > 63 for one in labels):
        return False
    if len(labels) == 1:
        return _host_label(labels[0], middle=False)
    last = labels[-1]
    return (
        all(_host_label(one, middle=True) for one in labels[:-1]) and 2 <= len(last) <= 63 and last.isalpha()
    )


def _host_label(label: str, *, middle: bool) -> bool:
    """Letters, digits, symbols; hyphens between them (in a name of one label: one, behind the first)."""
    if not label or not all(_host_char(char) or char == "-" for char in label):
        return False
    if not _host_char(label[0]):
        return False
    return _host_char(label[-1]) if middle else "-" not in label[2:]


def _host_char(char: str) -> bool:
    return unicodedata.category(char)[0] in "LS" or (char.isascii() and char.isdigit())


def _ipv4(text: str) -> bool:
    return "." in text and (_is_address(_unpadded(text), 4) or _is_address(text, 6))


def _ipv6(text: str) -> bool:
    return ":" in text and _is_address(text, 6)


def _is_address(text: str, version: int) -> bool:
    try:
        return "%" not in text and ipaddress.ip_address(text).version == version
    except ValueError:
        return False


def _unpadded(text: str) -> str:
    """Leading zeros were once allowed, and still are here."""
    return re.sub(r"(?<![\da-fA-F:.])0+(?=\d)|(?<=\.)0+(?=\d)", "", text)


def _cidr(text: str) -> bool:
    address, _, bits = text.partition("/")
    if not bits.isascii() or not bits.isdigit() or len(bits) > 9:
        return False
    if _is_address(_unpadded(address), 4):
        return int(bits) <= 32
    return ":" in address and _is_address(address, 6) and int(bits) <= 128


def _mac(text: str) -> bool:
    if re.fullmatch(r"[0-9a-fA-F]+", text):
        return len(text) in {12, 16, 40}
    for mark, width in ((":", 2), ("-", 2), (".", 4)):
        parts = text.split(mark)
        if len(parts) * width // 2 in {6, 8, 20} and all(
            len(one) == width and re.fullmatch(r"[0-9a-fA-F]+", one) for one in parts
        ):
            return True
    return False


def _isbn10(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"\d{9}X|\d{10}", digits, re.ASCII):
        return False
    values = [10 if char == "X" else int(char) for char in digits]
    return sum((at + 1) * value for at, value in enumerate(values)) % 11 == 0


def _isbn13(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"\d{13}", digits, re.ASCII):
        return False
    total = sum(int(char) * (3 if at % 2 else 1) for at, char in enumerate(digits[:12]))
    return int(digits[12]) == (10 - total % 10) % 10


def _card(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    if not _CARD.fullmatch(digits):
        return False
    total = 0
    for at, char in enumerate(reversed(digits)):
        value = int(char) * (2 if at % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _duration(text: str) -> bool:
    found = _DURATION.findall(text)
    if any(int(number[:30]) >= 1 << 63 for number, _ in found):
        return False
    return _GO_DURATION.fullmatch(text) is not None or any(
        unit.lower() in _UNITS or unit.lower().startswith(_PREFIXES) for _, unit in found
    )


def _date(text: str) -> bool:
    found = re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})", text, re.ASCII)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    if not 1 <= month <= 12:
        return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def _date_time(text: str) -> bool:
    parts = text.lower().split("t")
    if len(parts) < 2 or not _date(parts[0]):
        return False
    found = _CLOCK.fullmatch(parts[1])
    return found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def _rgb(text: str) -> bool:
    value = r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"
    return re.fullmatch(rf"rgb\({value},{value},{value}\)", text, re.ASCII) is not None


_LABEL = _pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = _pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def known(kind: str, format: str) -> str:
    """The format, if a schema of that type may have it and somebody checks it."""
    match kind:
        case "" | "string":
            return format if format.replace("-", "") in CHECKS else ""
        case "integer":
            return format if format in {"int32", "int64"} else ""
        case "number":
            return format if format in {"float", "double"} else ""
        case _:
            return ""


def check(format: str) -> Check | None:
    return CHECKS.get(format.replace("-", ""))


CHECKS: Final[dict[str, Check]] = {
    "bsonobjectid": _pattern(r"[0-9a-fA-F]{24}"),
    "uri": _uri,
    "email": _email,
    "hostname": _hostname,
    "ipv4": _ipv4,
    "ipv6": _ipv6,
    "cidr": _cidr,
    "mac": _mac,
    "uuid": _uuid(),
    "uuid3": _uuid("3"),
    "uuid4": _uuid("4", "[89ab]"),
    "uuid5": _uuid("5", "[89ab]"),
    "isbn": lambda text: _isbn10(text) or _isbn13(text),
    "isbn10": _isbn10,
    "isbn13": _isbn13,
    "creditcard": _card,
    "ssn": _pattern(r"\d{3}[- ]\d{2}[- ]\d{4}"),
    "hexcolor": _pattern(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _rgb,
    "byte": _pattern(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"),
    "password": lambda _: True,
    "date": _date,
    "duration": _duration,
    "datetime": _date_time,
    "k8sshortname": lambda text: len(text) <= 63 and _LABEL(text),
    "k8slongname": lambda text: len(text) <= 253 and _SUBDOMAIN(text),
}
