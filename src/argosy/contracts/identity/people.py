"""Accounts, their users, and invitations to them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from argosy.contracts.identity.words import Device, Email, NamedRef, Role
from argosy.contracts.paging import Id, Ids, Name, PageRequest, Text


class Account(msgspec.Struct, frozen=True):
    id: str
    name: str
    time_zone: str
    created: datetime
    users: int


class AccountCreated(Account, frozen=True):
    one_time_password: str = ""  # once, where `admin_email` names somebody: as in `UserCreated`


class AccountChanged(msgspec.Struct, frozen=True):
    """The body of `ACCOUNT_CHANGED`: an account was created, or its name or time zone changed."""

    id: str
    name: str
    time_zone: str


class NewAccount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    time_zone: Text = "UTC"
    admin_email: Email | None = None  # whether known here or not; None: the caller


class AccountChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name | None = None
    time_zone: Text | None = None


class Administrator(msgspec.Struct, frozen=True):
    """Somebody who administers the installation: its accounts, its other administrators, its services."""

    id: str
    name: str  # what they are called in the account they used last
    email: str
    status: Literal["active", "invited", "disabled"]  # disabled: there is no account they could enter
    last_seen: datetime | None


class NewAdministrator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    email: Email  # a user of any account


class User(msgspec.Struct, frozen=True):
    id: str
    name: str
    email: str
    role: Role
    teams: list[NamedRef]
    status: Literal["active", "invited", "disabled"]  # invited: has not been here yet
    created: datetime
    last_seen: datetime | None


class UserQuery(PageRequest, frozen=True, kw_only=True):
    team: Text = ""
    role: Literal["", "admin", "user"] = ""


class NewUser(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A user of this account. The answer is the same whether the e-mail is known to the installation or not."""

    email: Email
    name: Text = ""
    role: Role = "user"
    teams: Ids = []


class UserCreated(msgspec.Struct, frozen=True):
    """The one-time password is shown once. Somebody new signs in with it and replaces it. Somebody with a login here
    already shows it as the token of an invitation, with their own password: only then they are in the account, under
    the id of their own."""

    user: User
    one_time_password: str


class UserChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
    name: Name | None = None
    role: Role | None = None
    teams: Ids | None = None
    disabled: bool | None = None


class PasswordReset(msgspec.Struct, frozen=True):
    """Shown once; the user must change it at the next sign-in. All the user's sessions have ended."""

    one_time_password: str


class ResetByEmail(msgspec.Struct, frozen=True):
    email: Email


class Invitation(msgspec.Struct, frozen=True):
    id: str
    email: str
    role: Role
    teams: list[NamedRef]
    invited_by: str
    created: datetime
    expires: datetime


class NewInvitation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    email: Email
    role: Role = "user"
    teams: Ids = []


class InvitationCreated(msgspec.Struct, frozen=True):
    invitation: Invitation
    token: str  # once; the UI shows it as a link to hand over


class AcceptInvitation(msgspec.Struct, frozen=True):
    """`token` is an invitation's, or the one-time password with which an admin added somebody who is known here.
    `password` sets one for somebody new; somebody known proves to be them with theirs."""

    token: Text
    name: Text = ""
    password: Annotated[str, msgspec.Meta(max_length=1024)] = ""
    remote: str = ""
    user_agent: str = ""
    device: Device = ""


class InvitationToken(msgspec.Struct, frozen=True):
    token: Text


class InvitationPreview(msgspec.Struct, frozen=True):
    account: str
    email: str
    existing_user: bool
