"""The caller: profile, password, sessions, active account."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.contracts.identity.words import NamedRef, Password, Role, Subject
from argosy.contracts.paging import Id, Name, Text


class MyAccount(msgspec.Struct, frozen=True):
    id: str
    name: str
    role: Role


class Me(msgspec.Struct, frozen=True):
    id: str
    kind: Subject
    name: str
    email: str
    account: MyAccount
    accounts: list[MyAccount]
    teams: list[NamedRef]
    platform_admin: bool
    must_change_password: bool
    scopes: list[str] | None
    time_zone: str = "UTC"


class ProfileChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name | None = None
    time_zone: Text | None = None


class PasswordChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ends the user's other sessions. Whoever came in with a one-time password or a sign-in link has just proved who
    they are, and need not give `current` again."""

    new: Password
    current: Password | None = None


class SwitchAccount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    account: Id


class SessionInfo(msgspec.Struct, frozen=True):
    id: str
    created: datetime
    last_seen: datetime
    expires: datetime
    remote: str
    user_agent: str
    current: bool
