"""Sprig's functions on paths and addresses. Slashes only, as on the machines that upstream runs on."""

from __future__ import annotations

import posixpath
import re
import urllib.parse

from argosy.domain.templates.calling import Implementation, Map
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.quoting import quoted
from argosy.domain.templates.values import kind_of, octets, text_of

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_IN_PATH = "/$&+,:;=@!'()*[]~-._"
_IN_FRAGMENT = "/$&+,:;=?@!()*'~-._"


def base(path: str) -> str:
    """Of nothing, `.`"""
    if not path:
        return "."
    return path.rstrip("/").rpartition("/")[2] or "/"


def clean(path: str) -> str:
    found = posixpath.normpath(path)
    return "/" + found.lstrip("/") if found.startswith("//") else found


def directory(path: str) -> str:
    return clean(path[: path.rfind("/") + 1])


def ext(path: str) -> str:
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:] if dot >= 0 else ""


def is_abs(path: str) -> bool:
    return path.startswith("/")


def url_parse(text: str) -> object:
    rest, _, fragment = text.partition("#")
    scheme = ""
    if found := _SCHEME.fullmatch(rest):
        scheme, rest = found[1].lower(), found[2]
    elif rest.startswith(":"):
        raise _unreadable(text, "missing protocol scheme")
    if any(char < " " or char == "\x7f" for char in text):
        raise _unreadable(text, "net/url: invalid control character in URL")
    rest, _, query = rest.partition("?")
    opaque = userinfo = host = ""
    if scheme and not rest.startswith("/"):
        opaque, rest = rest, ""
    elif rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        userinfo, _, host = authority.rpartition("@")
    elif not scheme and ":" in rest.partition("/")[0]:
        raise _unreadable(text, "first path segment in URL cannot contain colon")
    if bad := _BAD_ESCAPE.search(rest):
        raise _unreadable(text, f"invalid URL escape {quoted(rest[bad.start() : bad.start() + 3])}")
    return {
        "scheme": scheme,
        "host": host,
        "hostname": _hostname(host),
        "path": _unescaped(rest),
        "query": query,
        "opaque": opaque,
        "fragment": _unescaped(fragment),
        "userinfo": userinfo,
    }


def _unreadable(text: str, why: str) -> FunctionError:
    return FunctionError(f"unable to parse url: parse {quoted(text)}: {why}")


def _hostname(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name, colon, port = host.rpartition(":")
    return name if colon and (not port or port.isdecimal()) else host


def _unescaped(text: str) -> str:
    return text_of(urllib.parse.unquote_to_bytes(octets(text)))


def url_join(parts: Map) -> str:
    def part(name: str) -> str:
        value = parts.get(name, "")
        if not isinstance(value, str):
            raise FunctionError(
                f"unable to parse {name} key, must be of type string, but {kind_of(value)} found"
            )
        return value

    scheme, host, path = part("scheme"), part("host"), part("path")
    text = f"{scheme}:" if scheme else ""
    if opaque := part("opaque"):
        text += opaque
    else:
        if scheme or host or part("userinfo"):
            if host or path or part("userinfo"):
                text += "//"
            text += (f"{part('userinfo')}@" if part("userinfo") else "") + host
        if path and not path.startswith("/") and host:
            text += "/"
        text += urllib.parse.quote(octets(path), safe=_IN_PATH)
    if query := part("query"):
        text += f"?{query}"
    if fragment := part("fragment"):
        text += "#" + urllib.parse.quote(octets(fragment), safe=_IN_FRAGMENT)
    return text


FUNCTIONS: dict[str, Implementation] = {
    "base": base,
    "clean": clean,
    "dir": directory,
    "ext": ext,
    "isAbs": is_abs,
    "osBase": base,
    "osClean": clean,
    "osDir": directory,
    "osExt": ext,
    "osIsAbs": is_abs,
    "urlJoin": url_join,
    "urlParse": url_parse,
}
