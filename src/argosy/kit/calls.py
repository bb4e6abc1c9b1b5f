"""Who is asking, for which account, and until when: the context that travels with every call between parts.

The gateway makes a `Call` from a credential; inside the platform it travels as a signed token plus headers
(`kit.tokens`, `kit.rpc`), and consumers and schedules make one for a service with an explicit account.
"""

from __future__ import annotations

import time
from typing import Literal

import msgspec

from argosy.kit.ids import new_id

Kind = Literal["anonymous", "user", "service_account", "service"]


class Principal(msgspec.Struct, frozen=True, omit_defaults=True):
    """`scopes` is None for what may do all its owner may; an API key with scopes may do only those."""

    kind: Kind
    id: str = ""
    name: str = ""
    account: str = ""
    admin: bool = False
    platform_admin: bool = False
    teams: tuple[str, ...] = ()
    scopes: tuple[str, ...] | None = None
    credential: str = ""  # "session:<id>", "key:<id>" or "service:<name>": what a revocation names


ANONYMOUS = Principal(kind="anonymous")


def service_principal(service: str, account: str = "") -> Principal:
    return Principal(
        kind="service", id=service, name=service, account=account, credential=f"service:{service}"
    )


class Call(msgspec.Struct, frozen=True):
    principal: Principal
    request_id: str
    deadline: float  # seconds since the epoch; the callee gives up then
    service: str = ""  # the part of the platform that acts: "gateway", "audit", …
    remote: str = ""
    user_agent: str = ""
    idempotency_key: str = ""

    @property
    def account(self) -> str:
        return self.principal.account

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.time()


def service_call(service: str, account: str = "", *, seconds: float = 10.0, request_id: str = "") -> Call:
    """A call that a part of the platform makes on its own behalf, for one account or for none."""
    return Call(
        principal=service_principal(service, account),
        request_id=request_id or new_id(),
        deadline=time.time() + seconds,
        service=service,
    )
