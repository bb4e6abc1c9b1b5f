"""`url` and what it can be asked. One is `{"url": …}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit

_CONTROL = re.compile(r"[\x00-\x20\x7f]")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


def _parsed(text: str) -> SplitResult:
    """As in the first line of a request: whole, or the path from its beginning."""
    found = urlsplit(text)
    whole = text.startswith("/") or bool(found.scheme)
    if not whole or _CONTROL.search(text) or _BROKEN_ESCAPE.search(found.path):
        raise ValueError(
            f"URL parse error during conversion from string: parse {text!r}: invalid URI for request"
        )
    found.port  # noqa: B018  raises for what is no port
    return found


def _is_url(text: str) -> bool:
    try:
        _parsed(text)
    except ValueError:
        return False
    return True


def _url(text: str) -> dict[str, str]:
    _parsed(text)
    return {"url": text}


def _of(one: Mapping[str, str]) -> SplitResult:
    if "url" not in one:
        raise ValueError("no such overload")
    return urlsplit(one["url"])


def _host(one: Mapping[str, str]) -> str:
    return _of(one).netloc.rpartition("@")[2]


def _hostname(one: Mapping[str, str]) -> str:
    host = _host(one)
    return host[1 : host.find("]")] if host.startswith("[") else host.partition(":")[0]


def _port(one: Mapping[str, str]) -> str:
    host = _host(one)
    return host.rpartition("]")[2].rpartition(":")[2] if ":" in host.rpartition("]")[2] else ""


def _path(one: Mapping[str, str]) -> str:
    path = _of(one).path
    return path if "%" in path else quote(unquote(path), safe="/!$&'()*+,;=:@-._~")


FUNCTIONS: Final[Mapping[tuple[str, str], Callable[..., object]]] = {
    ("url", "string -> map"): _url,
    ("isURL", "string -> bool"): _is_url,
    ("getScheme", ".map -> string"): lambda one: _of(one).scheme,
    ("getHost", ".map -> string"): _host,
    ("getHostname", ".map -> string"): _hostname,
    ("getPort", ".map -> string"): _port,
    ("getEscapedPath", ".map -> string"): _path,
    ("getQuery", ".map -> map"): lambda one: parse_qs(_of(one).query, keep_blank_values=True),
}
