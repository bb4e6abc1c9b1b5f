"""The words that the other modules of this contract share: kinds of text, roles, references, events."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Email = Annotated[
    str, msgspec.Meta(max_length=254, pattern=r"^[^@\s]+@[^@\s]+$", description="an e-mail address")
]
Password = Annotated[str, msgspec.Meta(min_length=1, max_length=1024)]
Device = Annotated[str, msgspec.Meta(max_length=100)]
Role = Literal["admin", "user"]
Scope = Annotated[
    str,
    msgspec.Meta(
        max_length=64,
        pattern=r"^[a-z][a-z0-9_-]*(:[a-z_]+)?$",
        description="a scope such as users or users:read",
    ),
]
Subject = Literal["user", "service_account"]
ACCOUNT_CHANGED = "identity.account_changed.v1"  # the event; its body is `AccountChanged`
REVOKED = "identity.revoked.v1"  # the event; its body is `Revoked`
PASSWORD_SCOPE = (
    "password:write"  # all that a session may do until a one-time password is changed; never a key's
)


class NamedRef(msgspec.Struct, frozen=True):
    id: str
    name: str
