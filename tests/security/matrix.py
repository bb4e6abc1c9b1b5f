"""Who may do what, declared by hand: the specification that `test_matrix*.py` holds the running platform to.

A row names the least that a caller must be and the scope that a limited key must have. Nothing here is derived from
the contracts, so that a new route or operation without a row, or one whose need changed, fails.
`tools/authorization_matrix.py` writes docs/reference/authorization.md from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Least = Literal["anyone", "service", "signed in", "session", "admin", "platform admin", "metrics token"]


@dataclass(frozen=True, slots=True)
class Row:
    """`session`: somebody signed in by password, not by key. `first_password`: possible before a one-time password
    is changed. `callers`: the parts of the platform that may ask, where only parts may."""

    least: Least
    scope: str = ""
    first_password: bool = False
    callers: tuple[str, ...] = ()


def parts(*callers: str) -> Row:
    return Row("service", callers=callers)


ANYONE = Row("anyone", first_password=True)
EVERY_CALLER = Row("signed in", first_password=True)

# Every operation of every contract, as `service.operation`; those of `contracts.hosting` are `hosted.…`.
OPERATIONS: dict[str, Row] = {
    "identity.sign_in": parts("gateway"),
    "identity.redeem_link": parts("gateway"),
    "identity.exchange": parts("gateway"),
    "identity.service_token": parts("*"),
    "identity.key_set": parts("*"),
    "identity.revocations": parts("gateway"),
    "identity.preview_invitation": parts("gateway"),
    "identity.accept_invitation": parts("gateway"),
    "identity.first_run": parts("host"),
    "identity.reset_by_email": parts("host"),
    "identity.rules_for_account": parts("*"),
    "identity.me": EVERY_CALLER,
    "identity.change_profile": Row("signed in", "profile:write"),
    "identity.change_password": Row("session", "password:write", first_password=True),
    "identity.switch_account": Row("session", "profile:write"),
    "identity.sessions": Row("signed in", "profile:read"),
    "identity.end_session": Row("signed in", "profile:write"),
    "identity.sign_out": Row("session", first_password=True),
    "identity.accounts": Row("platform admin", "accounts:read"),
    "identity.create_account": Row("platform admin", "accounts:write"),
    "identity.account": Row("signed in", "account:read"),
    "identity.change_account": Row("admin", "account:write"),
    "identity.administrators": Row("platform admin", "accounts:read"),
    "identity.add_administrator": Row("platform admin", "accounts:write"),
    "identity.remove_administrator": Row("platform admin", "accounts:write"),
    "identity.users": Row("signed in", "users:read"),
    "identity.user": Row("signed in", "users:read"),
    "identity.create_user": Row("admin", "users:write"),
    "identity.change_user": Row("admin", "users:write"),
    "identity.remove_user": Row("admin", "users:write"),
    "identity.reset_password": Row("admin", "users:write"),
    "identity.invitations": Row("admin", "users:read"),
    "identity.invite": Row("admin", "users:write"),
    "identity.withdraw_invitation": Row("admin", "users:write"),
    "identity.teams": Row("signed in", "teams:read"),
    "identity.team": Row("signed in", "teams:read"),
    "identity.create_team": Row("admin", "teams:write"),
    "identity.change_team": Row("admin", "teams:write"),
    "identity.remove_team": Row("admin", "teams:write"),
    "identity.service_accounts": Row("admin", "service-accounts:read"),
    "identity.service_account": Row("admin", "service-accounts:read"),
    "identity.create_service_account": Row("admin", "service-accounts:write"),
    "identity.change_service_account": Row("admin", "service-accounts:write"),
    "identity.remove_service_account": Row("admin", "service-accounts:write"),
    "identity.api_keys": Row("signed in", "api-keys:read"),
    "identity.create_api_key": Row("signed in", "api-keys:write"),
    "identity.revoke_api_key": Row("signed in", "api-keys:write"),
    "identity.scopes": Row("signed in", "api-keys:read"),
    "identity.access_rules": Row("signed in", "access-rules:read"),
    "identity.access_rule": Row("signed in", "access-rules:read"),
    "identity.create_access_rule": Row("admin", "access-rules:write"),
    "identity.change_access_rule": Row("admin", "access-rules:write"),
    "identity.remove_access_rule": Row("admin", "access-rules:write"),
    "identity.why": Row("signed in", "access-rules:read"),
    "identity.vocabulary": Row("signed in", "access-rules:read"),
    "audit.record": parts("gateway"),
    "audit.entries": Row("admin", "audit:read"),
    "audit.entry": Row("admin", "audit:read"),
    "audit.follow": Row("admin", "audit:read"),
    "audit.export": Row("admin", "audit:read"),
    "audit.verify": Row("admin", "audit:read"),
    "audit.settings": Row("admin", "audit:read"),
    "audit.change_settings": Row("admin", "audit:write"),
    "cron.put": parts("*"),
    "cron.remove": parts("*"),
    "cron.schedules": Row("admin", "system:read"),
    "cron.preview": Row("signed in", "system:read"),
    "git_server.repositories": Row("signed in", "repositories:read"),
    "git_server.repository": Row("signed in", "repositories:read"),
    "git_server.create_repository": Row("signed in", "repositories:create"),
    "git_server.change_repository": Row("signed in", "repositories:admin"),
    "git_server.remove_repository": Row("signed in", "repositories:admin"),
    "git_server.refs": Row("signed in", "repositories:read"),
    "git_server.commits": Row("signed in", "repositories:read"),
    "git_server.files": Row("signed in", "repositories:read"),
    "git_server.file": Row("signed in", "repositories:read"),
    "hosted.health": parts("gateway"),
    "hosted.dead_letters": Row("platform admin", "system:read"),
    "hosted.replay": Row("platform admin", "system:write"),
    "hosted.discard": Row("platform admin", "system:write"),
}

# Every public route: the operation that answers, or what the gateway itself asks for.
ROUTES: dict[tuple[str, str], str | Row] = {
    ("GET", "/api/me"): "identity.me",
    ("PATCH", "/api/me"): "identity.change_profile",
    ("POST", "/api/me/password"): "identity.change_password",
    ("POST", "/api/me/account"): "identity.switch_account",
    ("GET", "/api/me/sessions"): "identity.sessions",
    ("DELETE", "/api/me/sessions/{id}"): "identity.end_session",
    ("GET", "/api/accounts"): "identity.accounts",
    ("POST", "/api/accounts"): "identity.create_account",
    ("GET", "/api/account"): "identity.account",
    ("PATCH", "/api/account"): "identity.change_account",
    ("GET", "/api/administrators"): "identity.administrators",
    ("POST", "/api/administrators"): "identity.add_administrator",
    ("DELETE", "/api/administrators/{id}"): "identity.remove_administrator",
    ("GET", "/api/users"): "identity.users",
    ("POST", "/api/users"): "identity.create_user",
    ("GET", "/api/users/{id}"): "identity.user",
    ("PATCH", "/api/users/{id}"): "identity.change_user",
    ("DELETE", "/api/users/{id}"): "identity.remove_user",
    ("POST", "/api/users/{id}/reset-password"): "identity.reset_password",
    ("GET", "/api/invitations"): "identity.invitations",
    ("POST", "/api/invitations"): "identity.invite",
    ("DELETE", "/api/invitations/{id}"): "identity.withdraw_invitation",
    ("GET", "/api/teams"): "identity.teams",
    ("POST", "/api/teams"): "identity.create_team",
    ("GET", "/api/teams/{id}"): "identity.team",
    ("PATCH", "/api/teams/{id}"): "identity.change_team",
    ("DELETE", "/api/teams/{id}"): "identity.remove_team",
    ("GET", "/api/service-accounts"): "identity.service_accounts",
    ("POST", "/api/service-accounts"): "identity.create_service_account",
    ("GET", "/api/service-accounts/{id}"): "identity.service_account",
    ("PATCH", "/api/service-accounts/{id}"): "identity.change_service_account",
    ("DELETE", "/api/service-accounts/{id}"): "identity.remove_service_account",
    ("GET", "/api/api-keys"): "identity.api_keys",
    ("POST", "/api/api-keys"): "identity.create_api_key",
    ("DELETE", "/api/api-keys/{id}"): "identity.revoke_api_key",
    ("GET", "/api/api-keys/scopes"): "identity.scopes",
    ("POST", "/api/auth/key"): "identity.create_api_key",
    ("DELETE", "/api/auth/key/{id}"): "identity.revoke_api_key",
    ("GET", "/api/access-rules"): "identity.access_rules",
    ("POST", "/api/access-rules"): "identity.create_access_rule",
    ("GET", "/api/access-rules/{id}"): "identity.access_rule",
    ("PATCH", "/api/access-rules/{id}"): "identity.change_access_rule",
    ("DELETE", "/api/access-rules/{id}"): "identity.remove_access_rule",
    ("GET", "/api/access/vocabulary"): "identity.vocabulary",
    ("POST", "/api/access/why"): "identity.why",
    ("GET", "/api/audit"): "audit.entries",
    ("GET", "/api/audit/follow"): "audit.follow",
    ("GET", "/api/audit/export"): "audit.export",
    ("GET", "/api/audit/verify"): "audit.verify",
    ("GET", "/api/audit/settings"): "audit.settings",
    ("PUT", "/api/audit/settings"): "audit.change_settings",
    ("GET", "/api/audit/{id}"): "audit.entry",
    ("GET", "/api/schedules"): "cron.schedules",
    ("POST", "/api/schedules/preview"): "cron.preview",
    ("GET", "/api/git/repositories"): "git_server.repositories",
    ("POST", "/api/git/repositories"): "git_server.create_repository",
    ("GET", "/api/git/repositories/{id}"): "git_server.repository",
    ("PATCH", "/api/git/repositories/{id}"): "git_server.change_repository",
    ("DELETE", "/api/git/repositories/{id}"): "git_server.remove_repository",
    ("GET", "/api/git/repositories/{id}/refs"): "git_server.refs",
    ("GET", "/api/git/repositories/{id}/commits"): "git_server.commits",
    ("GET", "/api/git/repositories/{id}/files"): "git_server.files",
    ("GET", "/api/git/repositories/{id}/raw"): "git_server.file",
    ("POST", "/api/auth/login"): ANYONE,
    ("POST", "/api/auth/link"): ANYONE,
    ("GET", "/api/auth/invitation"): ANYONE,
    ("POST", "/api/auth/accept-invitation"): ANYONE,
    ("POST", "/api/auth/logout"): "identity.sign_out",
    ("GET", "/api/auth/authenticate"): Row("signed in"),
    ("GET", "/api/user"): EVERY_CALLER,
    ("GET", "/api/version"): ANYONE,
    ("GET", "/api/system"): Row("platform admin", "system:read"),
    ("GET", "/api/system/services"): EVERY_CALLER,
    ("GET", "/api/system/dead-letters"): "hosted.dead_letters",
    ("POST", "/api/system/dead-letters/replay"): "hosted.replay",
    ("POST", "/api/system/dead-letters/discard"): "hosted.discard",
    ("GET", "/api/openapi.json"): ANYONE,
    ("GET", "/api/reference"): ANYONE,
}

# What git itself asks for, below `/git/<account>/<name>.git`. Access rules on the repository decide on top.
GIT: dict[tuple[str, str], Row] = {
    ("GET", "info/refs?service=git-upload-pack"): Row("signed in", "repositories:read"),
    ("POST", "git-upload-pack"): Row("signed in", "repositories:read"),
    ("GET", "info/refs?service=git-receive-pack"): Row("signed in", "repositories:write"),
    ("POST", "git-receive-pack"): Row("signed in", "repositories:write"),
}

# Paths that are neither the API nor a page: on the public port, and per service on the internal sockets.
PROBES: dict[str, Row] = {
    "/healthz": ANYONE,
    "/readyz": ANYONE,
    "/metrics": Row("metrics token"),
}

# What goes on to the Ingresses of embedded clusters: under the platform's own name, and under a host of their own.
INGRESSES: dict[str, Row] = {
    "/ingress/{cluster}/{namespace}/{name}/…": Row("signed in", "ingress:use"),
    "every path of a host that an Ingress has": ANYONE,
}

# The socket by which the gateway reaches them; its token lies in the secrets.
PASSAGE: dict[str, Row] = {
    "/routes": parts("gateway"),
    "/backends/{cluster}/{namespace}/{service}/{port}/…": parts("gateway"),
}


def row_of(method: str, path: str) -> Row:
    found = ROUTES[(method, path)]
    return OPERATIONS[found] if isinstance(found, str) else found
