"""What somebody shows, what they get for it, and how it ends. Only the gateway and the host ask for these."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from argosy.contracts.identity.words import Device
from argosy.contracts.paging import Text
from argosy.kit.calls import Principal


class SignIn(msgspec.Struct, frozen=True):
    email: Text
    password: Annotated[str, msgspec.Meta(max_length=1024)]
    remote: str = ""
    user_agent: str = ""
    device: Device = ""


class RedeemLink(msgspec.Struct, frozen=True):
    token: Text
    remote: str = ""
    user_agent: str = ""
    device: Device = ""


class SessionCreated(msgspec.Struct, frozen=True):
    """`device` is to be shown again at the next sign-in from there: it opens nothing, but has an allowance of wrong
    passwords of its own, so that nobody elsewhere can use it up."""

    token: str
    session: str
    expires: datetime
    must_change_password: bool = False
    device: str = ""
    device_expires: datetime | None = None


class Credential(msgspec.Struct, frozen=True):
    """What a caller showed: a session cookie's value or an API key; and which part the token is for."""

    kind: Literal["session", "key"]
    secret: Annotated[str, msgspec.Meta(max_length=512)]
    audience: str


class ServiceCredential(msgspec.Struct, frozen=True):
    """A part of the platform asks for a token of its own towards another part."""

    audience: str
    account: str = ""


class Exchanged(msgspec.Struct, frozen=True):
    token: str
    expires: float  # seconds since the epoch, at most 60 s ahead
    principal: Principal


class KeySet(msgspec.Struct, frozen=True):
    """JWKS, as JSON text: the public keys that verify tokens, old and new while a rotation overlaps."""

    jwks: str


class Revoked(msgspec.Struct, frozen=True):
    """Forget what you know of it and end its streams; a credential that is still good is exchanged again.

    `credential` ("session:<id>", "key:<id>") names one; otherwise all of `principal` in `account`, or in every account
    where that is empty. What somebody may do changes with their role, teams or active account, so these revoke too.
    """

    credential: str = ""
    principal: str = ""
    account: str = ""


class Begin(msgspec.Struct, frozen=True):
    """`one_time_password` becomes the first administrator's if there is nobody yet, and for as long as nobody has signed
    in: whoever asks makes it up once per start, so that asking again (after a crash) does not change it."""

    one_time_password: Annotated[str, msgspec.Meta(max_length=100)] = ""


class FirstRun(msgspec.Struct, frozen=True):
    """What `argosy up` prints: a password only until somebody has signed in; the link signs in once, within 10 minutes."""

    email: str
    password: str
    link_token: str
    replaced: bool = False  # an earlier start had made up another password, which works no longer
