"""As whom a request asks to be handled: its `Impersonate-*` headers as a user. `impersonation` decides on it.

A header that came several times has its values joined by line feeds, which no header value can contain (a comma may stand
in the name of a group).
"""

from __future__ import annotations

from urllib.parse import unquote

from argosy.kube.errors import bad_request
from argosy.kube.server.access.quoting import quoted
from argosy.kube.server.access.vocabulary import User
from argosy.kube.wire import Request

_EXTRA = "impersonate-extra-"


def wanted_user(request: Request) -> User | None:
    """None when nothing of the kind is asked. Raises ApiError 400 for groups and the like without a name."""
    headers = request.headers
    if not any(name.startswith("impersonate-") for name in headers):
        return None
    name = headers.get("impersonate-user", "").partition("\n")[0]
    uid = headers.get("impersonate-uid", "").partition("\n")[0]
    groups = tuple(headers["impersonate-group"].split("\n")) if "impersonate-group" in headers else ()
    extra: dict[str, tuple[str, ...]] = {}
    for header, values in headers.items():
        if header.startswith(_EXTRA):
            key = unquote(header.removeprefix(_EXTRA), errors="replace")
            extra[key] = (*extra.get(key, ()), *values.split("\n"))
    wanted = User(name, uid, groups, extra)
    if name:
        return wanted
    if uid or groups or extra:
        raise bad_request(f"requested {_as_go(wanted)} without impersonating a user name")
    return None


def _as_go(user: User) -> str:
    groups = f"[]string{{{', '.join(map(quoted, user.groups))}}}" if user.groups else "[]string(nil)"
    pairs = (
        f"{quoted(key)}:[]string{{{', '.join(map(quoted, values))}}}"
        for key, values in sorted(user.extra.items())
    )
    extra = f"map[string][]string{{{', '.join(pairs)}}}" if user.extra else "map[string][]string(nil)"
    return f"&user.DefaultInfo{{Name:{quoted(user.name)}, UID:{quoted(user.uid)}, Groups:{groups}, Extra:{extra}}}"
