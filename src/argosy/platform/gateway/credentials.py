"""Who is asking: from a cookie or a key to a principal and a short-lived token, asked of `identity` and kept briefly.

What is kept is dropped the moment `identity` says that a credential ended, and after 20 s in any case.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from dataclasses import dataclass
from typing import Literal

from starlette.requests import Request

from argosy.backends.hosting.service import Clients
from argosy.contracts.identity import Credential, Exchanged, Identity, Revoked
from argosy.kit.calls import Principal, service_call
from argosy.kit.errors import Unauthenticated
from argosy.platform.gateway.settings import GatewaySettings

KEPT_SECONDS = 20.0
_KEPT_LIMIT = 50_000
_GOOD_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Shown:
    """A credential as it came in. Never logged; `digest` is its name."""

    kind: Literal["session", "key"]
    secret: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(f"{self.kind}:{self.secret}".encode()).hexdigest()


def shown_by(request: Request, settings: GatewaySettings) -> Shown | None:
    """A key in the header wins over a cookie, so that a page's own tools can act with a key."""
    header = _authorization(request)
    if header:
        scheme, _, rest = header.partition(" ")
        if rest and scheme.lower() == "bearer":
            return Shown("key", rest.strip())
        if rest:
            raise Unauthenticated(  # nothing of it is repeated: it may be a key with something behind it
                "the Authorization header is in no known form",
                cure="send `Authorization: <key>` or `Authorization: Bearer <key>`",
            )
        return Shown("key", header)
    if (cookie := request.cookies.get(settings.cookie)) is not None:
        return Shown("session", cookie)
    return None


def shown_to_git(request: Request, _settings: GatewaySettings) -> Shown | None:
    """Git sends user and password: the password is a key, the user may be anything. A cookie means nothing here, so no page of another
    site can push with it."""
    scheme, _, rest = _authorization(request).partition(" ")
    if not scheme:
        return None
    if scheme.lower() == "bearer" and rest:
        return Shown("key", rest.strip())
    try:
        _, colon, password = base64.b64decode(rest, validate=True).decode().partition(":")
    except ValueError:
        colon = password = ""
    if scheme.lower() != "basic" or not colon or not password:
        raise Unauthenticated(
            "these are no credentials for git",
            cure="give an API key as the password; the user name may be anything",
        )
    return Shown("key", password)


def _authorization(request: Request) -> str:
    headers = request.headers.getlist("authorization")
    if len(headers) > 1:  # what stands in front of us may have looked at the other one
        raise Unauthenticated("there are two Authorization headers", cure="send one")
    return "".join(headers).strip()


def ended_by(revoked: Revoked, principal: Principal) -> bool:
    if revoked.credential:
        return principal.credential == revoked.credential
    if revoked.principal:
        return principal.id == revoked.principal and revoked.account in ("", principal.account)
    return bool(revoked.account) and principal.account == revoked.account


class Credentials:
    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._identity = clients(Identity)
        self._kept: dict[tuple[str, str], tuple[float, Exchanged]] = {}
        self._asking: dict[tuple[str, str], asyncio.Task[Exchanged]] = {}
        self._good: dict[str, float] = {}
        self._endings = 0

    def was_good(self, shown: Shown) -> bool:
        """Whether it was accepted within the hour: then its requests are counted as its own, else as its address's."""
        return self._good.get(shown.digest, 0.0) > time.monotonic()

    async def exchange(self, shown: Shown, audience: str, request_id: str) -> Exchanged:
        name = (shown.digest, audience)
        kept = self._kept.get(name)
        if kept is not None and kept[0] > time.monotonic():
            return kept[1]
        task = self._asking.get(name)
        if task is None:  # many requests of one page ask once
            task = self._asking[name] = asyncio.create_task(self._ask(shown, audience, request_id))
            task.add_done_callback(lambda done: self._asked(name, done))
        return await asyncio.shield(task)

    def _asked(self, name: tuple[str, str], task: asyncio.Task[Exchanged]) -> None:
        if self._asking.get(name) is task:
            del self._asking[name]

    async def _ask(self, shown: Shown, audience: str, request_id: str) -> Exchanged:
        endings = self._endings
        exchanged = await self._identity.exchange(
            call=service_call("gateway", request_id=request_id),
            request=Credential(shown.kind, shown.secret[:512], audience),
        )
        self._remember_good(shown.digest)
        if endings == self._endings:  # else this answer may be older than the ending it was overtaken by
            if len(self._kept) >= _KEPT_LIMIT:
                self._kept.clear()
            self._kept[(shown.digest, audience)] = (time.monotonic() + KEPT_SECONDS, exchanged)
        self._clients.remember(exchanged, audience)
        return exchanged

    def _remember_good(self, digest: str) -> None:
        if len(self._good) >= _KEPT_LIMIT:
            self._good.clear()
        self._good[digest] = time.monotonic() + _GOOD_SECONDS

    def forget(self, revoked: Revoked) -> None:
        self._overtake()
        for name, (_, exchanged) in list(self._kept.items()):
            if ended_by(revoked, exchanged.principal):
                del self._kept[name]

    def forget_all(self) -> None:
        """When the stream of revocations broke, nothing kept can be trusted."""
        self._overtake()
        self._kept.clear()

    def _overtake(self) -> None:
        """What is being asked right now may be answered from before the ending: nobody new waits for it."""
        self._endings += 1
        self._asking.clear()
