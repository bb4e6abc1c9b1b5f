"""One request to the edge as its own answers see it: from where, under which id, and from whom if that was asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from argosy.contracts.identity import Exchanged
from argosy.kit.calls import Call
from argosy.kit.errors import Unauthenticated
from argosy.platform.gateway.credentials import Shown


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and the way to vouch for them towards one service."""

    call: Call
    shown: Shown
    vouch: Callable[[str], Awaitable[Exchanged]]


@dataclass(frozen=True, slots=True)
class Asked:
    request: Request
    remote: str
    request_id: str
    caller: Caller | None  # None where the route needs nobody

    @property
    def signed_in(self) -> Caller:
        if self.caller is None:
            raise Unauthenticated("nobody is signed in", code="auth.required", cure="sign in first")
        return self.caller


Answer = Callable[[Asked], Awaitable[Response]]
Probe = Callable[[Request], Awaitable[Response]]
