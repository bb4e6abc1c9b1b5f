"""Who somebody is, what they belong to and what they may do: accounts, users, teams, keys, sessions, access rules.

`platform/identity` implements it; the gateway serves `ROUTES` and is the only caller of the credential methods.
Ids are 24 hex digits. What is absent and what belongs to another account answer alike (404).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Literal, Protocol

import msgspec

from argosy.contracts.paging import ById, Id, Name, Page, PageRequest, Text
from argosy.kit.calls import Call, Principal
from argosy.kit.operations import Needs, Nothing, operation
from argosy.kit.web.routes import route

Email = Annotated[str, msgspec.Meta(max_length=254, pattern=r"^[^@\s]+@[^@\s]+$")]
Password = Annotated[str, msgspec.Meta(min_length=1, max_length=1024)]
Role = Literal["admin", "user"]
Scope = Annotated[str, msgspec.Meta(max_length=64, pattern=r"^[a-z][a-z0-9_-]*(:[a-z_]+)?$")]
Subject = Literal["user", "service_account"]
ACCOUNT_CHANGED = "identity.account_changed.v1"  # the event; its body is `AccountChanged`
REVOKED = "identity.revoked.v1"  # the event; its body is `Revoked`
PASSWORD_SCOPE = (
    "password:write"  # all that a session may do until a one-time password is changed; never a key's
)

# --- credentials (only the gateway asks)


class SignIn(msgspec.Struct, frozen=True):
    email: Text
    password: Annotated[str, msgspec.Meta(max_length=1024)]
    remote: str = ""
    user_agent: str = ""


class RedeemLink(msgspec.Struct, frozen=True):
    token: Text
    remote: str = ""
    user_agent: str = ""


class SessionCreated(msgspec.Struct, frozen=True):
    token: str
    session: str
    expires: datetime
    must_change_password: bool = False


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


# --- me


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
    """Ends the user's other sessions."""

    current: Password
    new: Password


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


# --- accounts, users, invitations


class NamedRef(msgspec.Struct, frozen=True):
    id: str
    name: str


class Account(msgspec.Struct, frozen=True):
    id: str
    name: str
    time_zone: str
    created: datetime
    users: int


class AccountCreated(Account, frozen=True):
    one_time_password: str = ""  # once, where `admin_email` was nobody's yet


class AccountChanged(msgspec.Struct, frozen=True):
    """The body of `ACCOUNT_CHANGED`: an account was created, or its name or time zone changed."""

    id: str
    name: str
    time_zone: str


class NewAccount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    time_zone: Text = "UTC"
    admin_email: Email | None = None  # an existing or new user; None: the caller


class AccountChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name | None = None
    time_zone: Text | None = None


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
    team: str = ""
    role: Literal["", "admin", "user"] = ""


class NewUser(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A user of this account. Somebody new gets a one-time password, shown once; who exists is only added."""

    email: Email
    name: Text = ""
    role: Role = "user"
    teams: list[Id] = []


class UserCreated(msgspec.Struct, frozen=True):
    user: User
    one_time_password: str = ""


class UserChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
    name: Name | None = None
    role: Role | None = None
    teams: list[Id] | None = None
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
    teams: list[Id] = []


class InvitationCreated(msgspec.Struct, frozen=True):
    invitation: Invitation
    token: str  # once; the UI shows it as a link to hand over


class AcceptInvitation(msgspec.Struct, frozen=True):
    """`password` sets one for somebody new; somebody known proves to be them with theirs."""

    token: Text
    name: Text = ""
    password: Annotated[str, msgspec.Meta(max_length=1024)] = ""
    remote: str = ""
    user_agent: str = ""


class InvitationToken(msgspec.Struct, frozen=True):
    token: Text


class InvitationPreview(msgspec.Struct, frozen=True):
    account: str
    email: str
    existing_user: bool


# --- teams, service accounts, keys


class Team(msgspec.Struct, frozen=True):
    id: str
    name: str
    description: str
    members: int
    created: datetime
    everyone: bool = False  # the team that all are in without being listed; it cannot be removed


class NewTeam(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    description: Text = ""
    members: list[Id] = []


class TeamChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
    name: Name | None = None
    description: Text | None = None
    add_members: list[Id] = []
    remove_members: list[Id] = []


class ServiceAccount(msgspec.Struct, frozen=True):
    id: str
    name: str
    role: Role
    teams: list[NamedRef]
    keys: int
    created: datetime


class NewServiceAccount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    role: Role = "user"
    teams: list[Id] = []


class ServiceAccountChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
    name: Name | None = None
    role: Role | None = None
    teams: list[Id] | None = None


class ApiKey(msgspec.Struct, frozen=True):
    id: str
    name: str
    prefix: str
    scopes: list[str] | None
    owner: NamedRef
    owner_kind: Subject
    created: datetime
    expires: datetime | None
    last_used: datetime | None


class ApiKeyQuery(PageRequest, frozen=True, kw_only=True):
    """Own keys by default; an admin may name a service account (`owner`) or ask for everyone's (`all`)."""

    owner: str = ""
    all: bool = False


class NewApiKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    scopes: list[Scope] | None = None
    service_account: Id | None = None
    expires_days: Annotated[int, msgspec.Meta(ge=1, le=3650)] | None = None


class ApiKeyCreated(msgspec.Struct, frozen=True):
    key: str  # once
    api_key: ApiKey


class ScopeInfo(msgspec.Struct, frozen=True):
    name: str
    allows: str


class Scopes(msgspec.Struct, frozen=True):
    scopes: list[ScopeInfo]


# --- access rules


class RuleCondition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One attribute and the values that satisfy it; `key` for labels. `*` in a value matches any run of characters."""

    attribute: Text
    values: Annotated[list[Text], msgspec.Meta(min_length=1, max_length=100)]
    key: Text = ""


class AccessRule(msgspec.Struct, frozen=True):
    id: str
    name: str
    entity: str
    teams: list[NamedRef]
    actions: list[str]
    conditions: list[RuleCondition]
    tags: list[str]
    tag_logic: Literal["any", "all"]
    enabled: bool
    created: datetime
    updated: datetime
    related_resource: str = ""  # look at the tags of this related entity (a pipeline's project) instead


class AccessRuleQuery(PageRequest, frozen=True, kw_only=True):
    entity: str = ""
    team: str = ""


class NewAccessRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    entity: Text
    teams: Annotated[list[Id], msgspec.Meta(min_length=1, max_length=100)]
    actions: Annotated[list[Text], msgspec.Meta(min_length=1, max_length=50)]
    conditions: Annotated[list[RuleCondition], msgspec.Meta(max_length=20)] = []
    tags: Annotated[list[Text], msgspec.Meta(max_length=100)] = []
    tag_logic: Literal["any", "all"] = "any"
    related_resource: Text = ""
    enabled: bool = True


class AccessRuleChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
    name: Name | None = None
    teams: list[Id] | None = None
    actions: list[Text] | None = None
    conditions: list[RuleCondition] | None = None
    tags: list[Text] | None = None
    tag_logic: Literal["any", "all"] | None = None
    related_resource: Text | None = None
    enabled: bool | None = None


class Why(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """May `user` (id or e-mail) do `action` on this resource? The resource need not exist: its attributes are given."""

    user: Text
    action: Text
    entity: Text
    resource: Text = ""
    attributes: dict[str, list[str]] = {}
    labels: dict[str, str] = {}
    tags: list[str] = []
    related_tags: dict[str, list[str]] = {}


class RuleVerdict(msgspec.Struct, frozen=True):
    rule: NamedRef
    applies: bool
    reason: str  # which condition failed, with what was wanted and what was found


class WhyAnswer(msgspec.Struct, frozen=True):
    allowed: bool
    sentence: str
    decided_by: Literal["admin", "rule", "no_rule", "scope", "other_account"]
    rules: list[RuleVerdict]


class EntityVocabulary(msgspec.Struct, frozen=True):
    name: str
    title: str
    actions: list[str]
    attributes: list[str]
    labelled: bool
    tagged: bool
    related: list[str] = []


class Vocabulary(msgspec.Struct, frozen=True):
    entities: list[EntityVocabulary]


class RulesForAccount(msgspec.Struct, frozen=True):
    """All rules of one account with their version, for a service that decides on its own resources."""

    version: int
    rules: list[AccessRule]


# --- first run


class FirstRun(msgspec.Struct, frozen=True):
    """What `argosy up` prints: e-mail and password only the first time; the link signs in once, within 10 minutes."""

    email: str
    password: str
    link_token: str


class Identity(Protocol):
    # credentials
    @operation(
        needs=Needs.SERVICE,
        callers=("gateway",),
        resource="session",
        writes=True,
        errors=("auth.failed", "auth.locked"),
    )
    async def sign_in(self, *, call: Call, request: SignIn) -> SessionCreated:
        """Start a session with e-mail and password."""

    @operation(
        needs=Needs.SERVICE, callers=("gateway",), resource="session", writes=True, errors=("auth.link",)
    )
    async def redeem_link(self, *, call: Call, request: RedeemLink) -> SessionCreated:
        """Start a session with a single-use link."""

    @operation(needs=Needs.SERVICE, callers=("gateway",), errors=("auth.failed",))
    async def exchange(self, *, call: Call, request: Credential) -> Exchanged:
        """A short-lived token towards one part of the platform, for a session or an API key."""

    @operation(needs=Needs.SERVICE, callers=("*",))
    async def service_token(self, *, call: Call, request: ServiceCredential) -> Exchanged:
        """A short-lived token for a part of the platform that acts on its own."""

    @operation(needs=Needs.SERVICE, callers=("*",))
    async def key_set(self, *, call: Call, request: Nothing) -> KeySet:
        """The public keys that verify tokens."""

    @operation(needs=Needs.SERVICE, callers=("gateway",), deadline=86400.0)
    def revocations(self, *, call: Call, request: Nothing) -> AsyncIterator[Revoked]:
        """Credentials that ended, as they end; the first item (empty) says that the stream is live."""

    @operation(needs=Needs.SERVICE, callers=("gateway",))
    async def preview_invitation(self, *, call: Call, request: InvitationToken) -> InvitationPreview:
        """What an invitation is for, before it is accepted."""

    @operation(
        needs=Needs.SERVICE,
        callers=("gateway",),
        resource="invitation",
        writes=True,
        errors=("auth.failed", "auth.locked"),
    )
    async def accept_invitation(self, *, call: Call, request: AcceptInvitation) -> SessionCreated:
        """Join an account, as somebody new or as a known user, and sign in."""

    @operation(needs=Needs.SERVICE, callers=("host",), resource="user", writes=True)
    async def first_run(self, *, call: Call, request: Nothing) -> FirstRun:
        """Make the first account and admin if there is none, and a single-use sign-in link."""

    @operation(needs=Needs.SERVICE, callers=("host",), resource="user", writes=True)
    async def reset_by_email(self, *, call: Call, request: ResetByEmail) -> PasswordReset:
        """`argosy admin reset-password`: for who owns the machine."""

    @operation(needs=Needs.SERVICE, callers=("*",))
    async def rules_for_account(self, *, call: Call, request: Nothing) -> RulesForAccount:
        """The access rules of the call's account, to decide with."""

    # me
    @operation(needs=Needs.SIGNED_IN, resource="user")
    async def me(self, *, call: Call, request: Nothing) -> Me:
        """The caller, with accounts, teams and scopes."""

    @operation(needs=Needs.SIGNED_IN, scope="profile:write", resource="user", writes=True)
    async def change_profile(self, *, call: Call, request: ProfileChange) -> Me:
        """Change one's own name or time zone."""

    @operation(
        needs=Needs.SIGNED_IN,
        scope=PASSWORD_SCOPE,
        resource="user",
        writes=True,
        errors=("auth.failed", "auth.locked"),
    )
    async def change_password(self, *, call: Call, request: PasswordChange) -> Nothing:
        """Change one's own password; other sessions end."""

    @operation(needs=Needs.SIGNED_IN, scope="profile:write", resource="session", writes=True)
    async def switch_account(self, *, call: Call, request: SwitchAccount) -> Me:
        """Make another of one's accounts the active one."""

    @operation(needs=Needs.SIGNED_IN, scope="profile:read", resource="session")
    async def sessions(self, *, call: Call, request: PageRequest) -> Page[SessionInfo]:
        """One's own sessions."""

    @operation(needs=Needs.SIGNED_IN, scope="profile:write", resource="session", writes=True)
    async def end_session(self, *, call: Call, request: ById) -> Nothing:
        """End one of one's own sessions."""

    @operation(needs=Needs.SIGNED_IN, resource="session", writes=True)
    async def sign_out(self, *, call: Call, request: Nothing) -> Nothing:
        """End the session that asks."""

    # accounts
    @operation(needs=Needs.PLATFORM_ADMIN, scope="accounts:read", resource="account")
    async def accounts(self, *, call: Call, request: PageRequest) -> Page[Account]:
        """All accounts of the installation."""

    @operation(
        needs=Needs.PLATFORM_ADMIN,
        scope="accounts:write",
        resource="account",
        writes=True,
        errors=("account.exists",),
    )
    async def create_account(self, *, call: Call, request: NewAccount) -> AccountCreated:
        """A new account (tenant) with its first admin."""

    @operation(needs=Needs.SIGNED_IN, scope="account:read", resource="account")
    async def account(self, *, call: Call, request: Nothing) -> Account:
        """The active account."""

    @operation(needs=Needs.ADMIN, scope="account:write", resource="account", writes=True)
    async def change_account(self, *, call: Call, request: AccountChange) -> Account:
        """Rename the active account or change its time zone."""

    # users
    @operation(needs=Needs.SIGNED_IN, scope="users:read", resource="user")
    async def users(self, *, call: Call, request: UserQuery) -> Page[User]:
        """Users of the active account. Sorts: name, email, created, last_seen."""

    @operation(needs=Needs.SIGNED_IN, scope="users:read", resource="user")
    async def user(self, *, call: Call, request: ById) -> User:
        """One user of the active account."""

    @operation(needs=Needs.ADMIN, scope="users:write", resource="user", writes=True, errors=("user.exists",))
    async def create_user(self, *, call: Call, request: NewUser) -> UserCreated:
        """Add a user to the active account."""

    @operation(
        needs=Needs.ADMIN, scope="users:write", resource="user", writes=True, errors=("user.last_admin",)
    )
    async def change_user(self, *, call: Call, request: UserChange) -> User:
        """Change a user's name, role or teams."""

    @operation(
        needs=Needs.ADMIN, scope="users:write", resource="user", writes=True, errors=("user.last_admin",)
    )
    async def remove_user(self, *, call: Call, request: ById) -> Nothing:
        """Remove a user from the active account; sessions, keys and streams end."""

    @operation(needs=Needs.ADMIN, scope="users:write", resource="user", writes=True, errors=("user.shared",))
    async def reset_password(self, *, call: Call, request: ById) -> PasswordReset:
        """Give a user a one-time password; all their sessions end."""

    @operation(needs=Needs.ADMIN, scope="users:read", resource="invitation")
    async def invitations(self, *, call: Call, request: PageRequest) -> Page[Invitation]:
        """Open invitations of the active account."""

    @operation(
        needs=Needs.ADMIN, scope="users:write", resource="invitation", writes=True, errors=("user.exists",)
    )
    async def invite(self, *, call: Call, request: NewInvitation) -> InvitationCreated:
        """Invite somebody by e-mail; the link is shown once."""

    @operation(needs=Needs.ADMIN, scope="users:write", resource="invitation", writes=True)
    async def withdraw_invitation(self, *, call: Call, request: ById) -> Nothing:
        """Make an invitation worthless."""

    # teams
    @operation(needs=Needs.SIGNED_IN, scope="teams:read", resource="team")
    async def teams(self, *, call: Call, request: PageRequest) -> Page[Team]:
        """Teams of the active account. Sorts: name, created."""

    @operation(needs=Needs.SIGNED_IN, scope="teams:read", resource="team")
    async def team(self, *, call: Call, request: ById) -> Team:
        """One team."""

    @operation(needs=Needs.ADMIN, scope="teams:write", resource="team", writes=True, errors=("team.exists",))
    async def create_team(self, *, call: Call, request: NewTeam) -> Team:
        """A new team, perhaps with members."""

    @operation(
        needs=Needs.ADMIN,
        scope="teams:write",
        resource="team",
        writes=True,
        errors=("team.exists", "team.everyone"),
    )
    async def change_team(self, *, call: Call, request: TeamChange) -> Team:
        """Rename a team, add or remove members."""

    @operation(
        needs=Needs.ADMIN, scope="teams:write", resource="team", writes=True, errors=("team.everyone",)
    )
    async def remove_team(self, *, call: Call, request: ById) -> Nothing:
        """Remove a team; rules that name only this team go with it."""

    # service accounts and keys
    @operation(needs=Needs.ADMIN, scope="service-accounts:read", resource="service-account")
    async def service_accounts(self, *, call: Call, request: PageRequest) -> Page[ServiceAccount]:
        """Service accounts of the active account."""

    @operation(needs=Needs.ADMIN, scope="service-accounts:read", resource="service-account")
    async def service_account(self, *, call: Call, request: ById) -> ServiceAccount:
        """One service account."""

    @operation(
        needs=Needs.ADMIN,
        scope="service-accounts:write",
        resource="service-account",
        writes=True,
        errors=("service_account.exists",),
    )
    async def create_service_account(self, *, call: Call, request: NewServiceAccount) -> ServiceAccount:
        """A new service account: keys for machines, independent of any person."""

    @operation(
        needs=Needs.ADMIN,
        scope="service-accounts:write",
        resource="service-account",
        writes=True,
        errors=("service_account.exists",),
    )
    async def change_service_account(self, *, call: Call, request: ServiceAccountChange) -> ServiceAccount:
        """Change a service account's name, role or teams."""

    @operation(needs=Needs.ADMIN, scope="service-accounts:write", resource="service-account", writes=True)
    async def remove_service_account(self, *, call: Call, request: ById) -> Nothing:
        """Remove a service account; its keys end."""

    @operation(needs=Needs.SIGNED_IN, scope="api-keys:read", resource="api-key")
    async def api_keys(self, *, call: Call, request: ApiKeyQuery) -> Page[ApiKey]:
        """API keys: prefix, scopes, last use. Never the key."""

    @operation(needs=Needs.SIGNED_IN, scope="api-keys:write", resource="api-key", writes=True)
    async def create_api_key(self, *, call: Call, request: NewApiKey) -> ApiKeyCreated:
        """A new API key, shown once. It may not have scopes that the caller's own key lacks."""

    @operation(needs=Needs.SIGNED_IN, scope="api-keys:write", resource="api-key", writes=True)
    async def revoke_api_key(self, *, call: Call, request: ById) -> Nothing:
        """End an API key at once."""

    @operation(needs=Needs.SIGNED_IN, scope="api-keys:read", resource="api-key")
    async def scopes(self, *, call: Call, request: Nothing) -> Scopes:
        """The scopes that a key can be limited to."""

    # access rules
    @operation(needs=Needs.SIGNED_IN, scope="access-rules:read", resource="access-rule")
    async def access_rules(self, *, call: Call, request: AccessRuleQuery) -> Page[AccessRule]:
        """Access rules of the active account. Sorts: name, updated."""

    @operation(needs=Needs.SIGNED_IN, scope="access-rules:read", resource="access-rule")
    async def access_rule(self, *, call: Call, request: ById) -> AccessRule:
        """One access rule."""

    @operation(
        needs=Needs.ADMIN,
        scope="access-rules:write",
        resource="access-rule",
        writes=True,
        errors=("rule.exists",),
    )
    async def create_access_rule(self, *, call: Call, request: NewAccessRule) -> AccessRule:
        """A new rule: these teams may do these actions on what matches."""

    @operation(
        needs=Needs.ADMIN,
        scope="access-rules:write",
        resource="access-rule",
        writes=True,
        errors=("rule.exists",),
    )
    async def change_access_rule(self, *, call: Call, request: AccessRuleChange) -> AccessRule:
        """Change a rule."""

    @operation(needs=Needs.ADMIN, scope="access-rules:write", resource="access-rule", writes=True)
    async def remove_access_rule(self, *, call: Call, request: ById) -> Nothing:
        """Remove a rule."""

    @operation(needs=Needs.SIGNED_IN, scope="access-rules:read", resource="access-rule")
    async def why(self, *, call: Call, request: Why) -> WhyAnswer:
        """May somebody do something, and which rule says so. Others than oneself: admins only."""

    @operation(needs=Needs.SIGNED_IN, scope="access-rules:read", resource="access-rule")
    async def vocabulary(self, *, call: Call, request: Nothing) -> Vocabulary:
        """What rules can speak of: entities, their actions and attributes."""


ROUTES = (
    route("GET", "/api/me", "me", "me"),
    route("PATCH", "/api/me", "change_profile", "me"),
    route("POST", "/api/me/password", "change_password", "me"),
    route("POST", "/api/me/account", "switch_account", "me"),
    route("GET", "/api/me/sessions", "sessions", "me"),
    route("DELETE", "/api/me/sessions/{id}", "end_session", "me"),
    route("GET", "/api/accounts", "accounts", "accounts"),
    route("POST", "/api/accounts", "create_account", "accounts"),
    route("GET", "/api/account", "account", "accounts"),
    route("PATCH", "/api/account", "change_account", "accounts"),
    route("GET", "/api/users", "users", "users"),
    route("POST", "/api/users", "create_user", "users"),
    route("GET", "/api/users/{id}", "user", "users"),
    route("PATCH", "/api/users/{id}", "change_user", "users"),
    route("DELETE", "/api/users/{id}", "remove_user", "users"),
    route("POST", "/api/users/{id}/reset-password", "reset_password", "users"),
    route("GET", "/api/invitations", "invitations", "users"),
    route("POST", "/api/invitations", "invite", "users"),
    route("DELETE", "/api/invitations/{id}", "withdraw_invitation", "users"),
    route("GET", "/api/teams", "teams", "teams"),
    route("POST", "/api/teams", "create_team", "teams"),
    route("GET", "/api/teams/{id}", "team", "teams"),
    route("PATCH", "/api/teams/{id}", "change_team", "teams"),
    route("DELETE", "/api/teams/{id}", "remove_team", "teams"),
    route("GET", "/api/service-accounts", "service_accounts", "service accounts"),
    route("POST", "/api/service-accounts", "create_service_account", "service accounts"),
    route("GET", "/api/service-accounts/{id}", "service_account", "service accounts"),
    route("PATCH", "/api/service-accounts/{id}", "change_service_account", "service accounts"),
    route("DELETE", "/api/service-accounts/{id}", "remove_service_account", "service accounts"),
    route("GET", "/api/api-keys", "api_keys", "API keys"),
    route("POST", "/api/api-keys", "create_api_key", "API keys"),
    route("DELETE", "/api/api-keys/{id}", "revoke_api_key", "API keys"),
    route("GET", "/api/api-keys/scopes", "scopes", "API keys"),
    # the two forms that compatible clients know
    route("POST", "/api/auth/key", "create_api_key", "API keys", "text", "key"),
    route("DELETE", "/api/auth/key/{id}", "revoke_api_key", "API keys"),
    route("GET", "/api/access-rules", "access_rules", "access rules"),
    route("POST", "/api/access-rules", "create_access_rule", "access rules"),
    route("GET", "/api/access-rules/{id}", "access_rule", "access rules"),
    route("PATCH", "/api/access-rules/{id}", "change_access_rule", "access rules"),
    route("DELETE", "/api/access-rules/{id}", "remove_access_rule", "access rules"),
    route("GET", "/api/access/vocabulary", "vocabulary", "access rules"),
    route("POST", "/api/access/why", "why", "access rules"),
)
