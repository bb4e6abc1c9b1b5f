"""Where a repository is: a URL that people wrote, taken apart, judged, and put together again without its password.

Only HTTP(S) and SSH are spoken. Git knows more (`ext::` runs a command, `file://` reads this machine's disk, `fd::`), and every
word that begins with `-` would be an option; none of that comes through here. A folder of this machine is an address only when our own code
says so (`local`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from argosy.kit.git.failing import Failure, GitFailed

Scheme: TypeAlias = Literal["https", "http", "ssh", "file"]

_SCHEMES: dict[str, Scheme] = {
    "https": "https",
    "http": "http",
    "ssh": "ssh",
    "git+ssh": "ssh",
    "ssh+git": "ssh",
}
_HOST = re.compile(r"\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_.])?")
_USER = re.compile(r"[A-Za-z0-9._][A-Za-z0-9._+@%-]*")
_SHORT_SSH = re.compile(r"(?:(?P<user>[^@/:]+)@)?(?P<host>\[[^\]]+\]|[^/:@]+):(?!//)(?P<path>.+)")
_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")
_LONGEST = 2048


@dataclass(frozen=True, slots=True)
class Address:
    scheme: Scheme
    host: str = ""
    port: int | None = None
    path: str = ""
    user: str = ""
    password: str = ""  # from the URL; it never goes back into one

    @property
    def url(self) -> str:
        """For the argument list of Git: over HTTP without user and password, which a credential helper tells."""
        if self.scheme == "file":
            return self.path
        user = f"{quote(self.user)}@" if self.user and self.scheme == "ssh" else ""
        return f"{self.scheme}://{user}{self._place}{self.path}"

    @property
    def origin(self) -> str:
        """The part of the URL that credentials belong to."""
        return f"{self.scheme}://{self._place}"

    @property
    def shown(self) -> str:
        return self.url

    @property
    def _place(self) -> str:
        return self.host if self.port is None else f"{self.host}:{self.port}"

    def without_password(self) -> Address:
        return replace(self, password="")


def local(folder: Path) -> Address:
    """A repository of our own on this machine."""
    if not folder.is_absolute():
        raise GitFailed(f"{folder} is not an absolute path", code=Failure.ADDRESS, cure="give the whole path")
    return Address("file", path=str(folder))


def parse(text: str) -> Address:
    """Raises `GitFailed` for what is no URL of a repository, and for what is one but must not be used."""
    if not text or len(text) > _LONGEST or not text.isprintable() or " " in text or text.startswith("-"):
        raise _refused(text, "is not the URL of a repository")
    if _HELPER.match(text):
        raise _refused(text, "names a remote helper, which would run a program here")
    if "://" in text:
        return _full(text)
    if (short := _SHORT_SSH.fullmatch(text)) is not None:
        path = short["path"] if short["path"].startswith(("/", "~")) else f"/{short['path']}"
        if path.startswith("~"):
            path = f"/{path}"
        return _checked(text, Address("ssh", short["host"], None, path, short["user"] or ""))
    raise _refused(text, "is a path on this machine or no URL at all")


def _full(text: str) -> Address:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise _refused(text, f"is no URL ({error})") from error
    scheme = _SCHEMES.get(parts.scheme)
    if scheme is None:
        raise _refused(text, f"has the scheme {parts.scheme!r}")
    if parts.query or parts.fragment:
        raise _refused(text, "has a query or a fragment")
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else (parts.hostname or "")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return _checked(text, Address(scheme, host, port, parts.path, user, password))


def _checked(text: str, address: Address) -> Address:
    if not _HOST.fullmatch(address.host):
        raise _refused(text, "has no host that could be looked up")
    if address.scheme == "ssh" and address.user and not _USER.fullmatch(address.user):
        raise _refused(text, "has a user name that cannot be used over SSH")
    if any(not part.isprintable() for part in (address.user, address.password)):
        raise _refused(text, "has control characters in its user name or password")
    if len(address.path.strip("/")) == 0:
        raise _refused(text, "has no path to a repository")
    if address.path.lstrip("/").startswith("-"):
        raise _refused(text, "has a path that begins with '-'")
    return address


def _refused(text: str, why: str) -> GitFailed:
    shown = re.sub(r"(://)[^/@]*@", r"\1", text)[:120]
    return GitFailed(
        f"{shown!r} {why}",
        code=Failure.ADDRESS,
        cure="use https://host/path.git, ssh://git@host/path.git or git@host:path.git",
    )
