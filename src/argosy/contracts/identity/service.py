"""What may be asked of identity. `platform/identity` implements it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from argosy.contracts.identity.credentials import (
    Begin,
    Credential,
    Exchanged,
    FirstRun,
    KeySet,
    RedeemLink,
    Revoked,
    ServiceCredential,
    SessionCreated,
    SignIn,
)
from argosy.contracts.identity.keys import ApiKey, ApiKeyCreated, ApiKeyQuery, NewApiKey, Scopes
from argosy.contracts.identity.me import Me, PasswordChange, ProfileChange, SessionInfo, SwitchAccount
from argosy.contracts.identity.people import (
    AcceptInvitation,
    Account,
    AccountChange,
    AccountCreated,
    Administrator,
    Invitation,
    InvitationCreated,
    InvitationPreview,
    InvitationToken,
    NewAccount,
    NewAdministrator,
    NewInvitation,
    NewUser,
    PasswordReset,
    ResetByEmail,
    User,
    UserChange,
    UserCreated,
    UserQuery,
)
from argosy.contracts.identity.rules import (
    AccessRule,
    AccessRuleChange,
    AccessRuleQuery,
    NewAccessRule,
    RulesForAccount,
    Vocabulary,
    Why,
    WhyAnswer,
)
from argosy.contracts.identity.teams import (
    NewServiceAccount,
    NewTeam,
    ServiceAccount,
    ServiceAccountChange,
    Team,
    TeamChange,
)
from argosy.contracts.identity.words import PASSWORD_SCOPE
from argosy.contracts.paging import ById, Page, PageRequest
from argosy.kit.calls import Call
from argosy.kit.operations import Needs, Nothing, operation


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
    async def first_run(self, *, call: Call, request: Begin) -> FirstRun:
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

    # administrators of the installation
    @operation(needs=Needs.PLATFORM_ADMIN, scope="accounts:read", resource="administrator")
    async def administrators(self, *, call: Call, request: PageRequest) -> Page[Administrator]:
        """Who administers the installation. Sorts: name, email, last_seen."""

    @operation(
        needs=Needs.PLATFORM_ADMIN,
        scope="accounts:write",
        resource="administrator",
        writes=True,
        errors=("user.unknown", "administrator.exists"),
    )
    async def add_administrator(self, *, call: Call, request: NewAdministrator) -> Administrator:
        """Make a user of any account an administrator of the installation."""

    @operation(
        needs=Needs.PLATFORM_ADMIN,
        scope="accounts:write",
        resource="administrator",
        writes=True,
        errors=("user.last_admin",),
    )
    async def remove_administrator(self, *, call: Call, request: ById) -> Nothing:
        """They stay a user of their accounts. The last who can sign in stays an administrator."""

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
