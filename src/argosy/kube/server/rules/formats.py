"""What names, keys and other short texts must look like. Each function answers what is wrong with one, in upstream's words.

Most texts are right, so each first asks one regular expression. Lengths count bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

Messages: TypeAlias = tuple[str, ...]
Check: TypeAlias = Callable[[str], Messages]
NameCheck: TypeAlias = Callable[[str, bool], Messages]
"""Of a name, or of a prefix that will be completed (`generateName`)."""

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_UNDERSCORED: Final = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_UNDERSCORED_SUBDOMAIN: Final = rf"{_UNDERSCORED}(\.{_UNDERSCORED})*"
_LABEL_1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_WILDCARD: Final = rf"\*\.{_SUBDOMAIN}"
_KEY_NAME: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE: Final = f"({_KEY_NAME})?"
_CONFIG_KEY: Final = "[-._a-zA-Z0-9]+"
_HTTP_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_HEADER: Final = "[-A-Za-z0-9]+"
_PERCENT: Final = "[0-9]+%"
_IDENTIFIER: Final = "[A-Za-z_][A-Za-z0-9_]*"

_is_label = re.compile(_LABEL).fullmatch
_is_subdomain = re.compile(_SUBDOMAIN).fullmatch
_is_underscored = re.compile(_UNDERSCORED_SUBDOMAIN).fullmatch
_is_1035 = re.compile(_LABEL_1035).fullmatch
_is_wildcard = re.compile(_WILDCARD).fullmatch
_is_key_name = re.compile(_KEY_NAME).fullmatch
_is_plain_key = re.compile(f"(?:[a-z0-9.-]{{1,253}}/)?{_KEY_NAME}").fullmatch
_is_label_value = re.compile(_LABEL_VALUE).fullmatch
_is_config_key = re.compile(_CONFIG_KEY).fullmatch
_is_http_path = re.compile(_HTTP_PATH).fullmatch
_is_header = re.compile(_HEADER).fullmatch
_is_percent = re.compile(_PERCENT).fullmatch
_is_identifier = re.compile(_IDENTIFIER).fullmatch
_is_port_name = re.compile("[-a-z0-9]+").fullmatch
_has_letter = re.compile("[a-z]").search


def size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def regex_error(message: str, pattern: str, *examples: str) -> str:
    told = "".join(f"'{one}', " if not index else f" or '{one}', " for index, one in enumerate(examples))
    opening = f"{message} (e.g. {told}" if examples else f"{message} ("
    return f"{opening}regex used for validation is '{pattern}')"


def at_most(limit: int) -> str:
    return f"must be no more than {limit} characters"


def between(low: int, high: int) -> str:
    return f"must be between {low} and {high}, inclusive"


NOT_A_SUBDOMAIN: Final = regex_error(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character",
    _SUBDOMAIN,
    "example.com",
)
_NOT_A_LABEL: Final = regex_error(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character",
    _LABEL,
    "my-name",
    "123-abc",
)
_NOT_A_KEY_NAME: Final = regex_error(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    _KEY_NAME,
    "MyName",
    "my.name",
    "123-abc",
)
_NOT_A_KEY: Final = (
    f"a valid label key {_NOT_A_KEY_NAME} with an optional DNS subdomain prefix and '/' "
    "(e.g. 'example.com/MyName')"
)
_NOT_A_VALUE: Final = regex_error(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character",
    _LABEL_VALUE,
    "MyValue",
    "my_value",
    "12345",
)


def subdomain(value: str) -> Messages:
    if _is_subdomain(value):
        return (at_most(253),) if len(value) > 253 else ()
    return (*_long(value, 253), NOT_A_SUBDOMAIN)


def underscored_subdomain(value: str) -> Messages:
    if _is_underscored(value):
        return _long(value, 253)
    message = regex_error(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', "
        "and must start and end with an alphanumeric character",
        _UNDERSCORED_SUBDOMAIN,
        "example.com",
    )
    return (*_long(value, 253), message)


def dns_label(value: str) -> Messages:
    if _is_label(value):
        return (at_most(63),) if len(value) > 63 else ()
    return (*_long(value, 63), "must not contain dots" if _is_subdomain(value) else _NOT_A_LABEL)


def dns_1035_label(value: str) -> Messages:
    if _is_1035(value):
        return _long(value, 63)
    message = regex_error(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
        "character, and end with an alphanumeric character",
        _LABEL_1035,
        "my-name",
        "abc-123",
    )
    return (*_long(value, 63), message)


def wildcard_subdomain(value: str) -> Messages:
    if _is_wildcard(value):
        return _long(value, 253)
    message = regex_error(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist "
        "of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        _WILDCARD,
        "*.example.com",
    )
    return (*_long(value, 253), message)


def qualified_name(value: str) -> Messages:
    """A label's key: a name with an optional DNS subdomain before it."""
    if len(value) <= 63 and _is_plain_key(value) and "/" not in value:
        return ()
    parts = value.split("/")
    if len(parts) > 2:
        return (_NOT_A_KEY,)
    told: list[str] = []
    name = parts[-1]
    if len(parts) == 2:
        told += _prefix(parts[0])
    if not name:
        told.append("name part must be non-empty")
    elif size(name) > 63:
        told.append("name part must be no more than 63 bytes")
    if not _is_key_name(name):
        told.append(f"name part {_NOT_A_KEY_NAME}")
    return tuple(told)


def _prefix(prefix: str) -> list[str]:
    if not prefix:
        return ["prefix part must be non-empty"]
    told = ["prefix part must be no more than 253 bytes"] if size(prefix) > 253 else []
    return told if _is_subdomain(prefix) else [*told, f"prefix part {NOT_A_SUBDOMAIN}"]


def label_value(value: str) -> Messages:
    if _is_label_value(value):
        return ("must be no more than 63 bytes",) if len(value) > 63 else ()
    return (*(("must be no more than 63 bytes",) if size(value) > 63 else ()), _NOT_A_VALUE)


def config_key(value: str) -> Messages:
    told = list(_long(value, 253))
    if not _is_config_key(value):
        message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        told.append(regex_error(message, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name"))
    if value.startswith("."):
        if value in {".", ".."}:
            told.append(f"must not be '{value}'")
        elif value.startswith(".."):
            told.append("must not start with '..'")
    return tuple(told)


def environment_name(value: str) -> Messages:
    if not value:
        return ("environment variable name must be non-empty",)
    if value.isascii() and value.isprintable() and "=" not in value:
        return ()
    return (
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
    )


def port_number(value: object) -> Messages:
    return () if isinstance(value, int) and 1 <= value <= 65535 else (between(1, 65535),)


def port_name(value: str) -> Messages:
    told = list(_long(value, 15))
    if not _is_port_name(value):
        told.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not _has_letter(value):
        told.append("must contain at least one letter (a-z)")
    if "--" in value:
        told.append("must not contain consecutive hyphens")
    if value.startswith("-") or value.endswith("-"):
        told.append("must not begin or end with a hyphen")
    return tuple(told)


def user_or_group(value: int) -> Messages:
    return () if 0 <= value <= 2147483647 else (between(0, 2147483647),)


def percent(value: str) -> Messages:
    if _is_percent(value):
        return ()
    message = "a valid percent string must be a numeric string followed by an ending '%'"
    return (regex_error(message, _PERCENT, "1%", "93%"),)


def http_header(value: str) -> Messages:
    if _is_header(value):
        return ()
    message = "a valid HTTP header must consist of alphanumeric characters or '-'"
    return (regex_error(message, _HEADER, "X-Header-Name"),)


def http_path(value: str) -> Messages:
    return () if _is_http_path(value) else (regex_error("Invalid path", _HTTP_PATH),)


def identifier(value: str) -> Messages:
    if _is_identifier(value):
        return ()
    message = (
        "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric "
        "characters or '_'"
    )
    return (regex_error(message, _IDENTIFIER, "my_name", "MY_NAME", "MyName"),)


def _long(value: str, limit: int) -> Messages:
    return (at_most(limit),) if len(value) > limit or size(value) > limit else ()


def subdomain_name(name: str, prefix: bool = False) -> Messages:
    return subdomain(_masked(name) if prefix else name)


def label_name(name: str, prefix: bool = False) -> Messages:
    return dns_label(_masked(name) if prefix else name)


def segment_name(name: str, prefix: bool = False) -> Messages:
    """A part of a URL's path; what every object's name is at least."""
    if not prefix and name in {".", ".."}:
        return (f"may not be '{name}'",)
    return tuple(f"may not contain '{one}'" for one in "/%" if one in name)


def _masked(name: str) -> str:
    """A prefix may end with a dash: something will follow."""
    return name[:-2] + "a" if len(name) > 1 and name.endswith("-") else name
