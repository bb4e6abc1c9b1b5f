"""The callers that the matrix, the IDOR and the input tests share: everybody who may stand before a door."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from tests.installation import PASSWORD, Client, Installation, Tenant
from tests.security.database import execute
from tests.security.matrix import Row
from tests.security.wire import Sender, sender

Name = Literal[
    "anonymous", "stranger", "viewer", "member", "admin", "platform admin", "revoked key", "expired key",
    "unrelated key", "scoped key", "first password",
]  # fmt: skip
NAMES: tuple[Name, ...] = Name.__args__  # type: ignore[attr-defined]
_ROLES: dict[Name, int] = {
    "stranger": 1,
    "admin": 1,
    "scoped key": 1,
    "unrelated key": 1,
    "platform admin": 2,
}
_SESSIONS = ("stranger", "viewer", "member", "admin", "platform admin", "first password")
_PARTS = ("", "/refs", "/commits", "/files", "/raw")
UNRELATED = "nobody-asks-for-this"


def reaches(row: Row, name: Name) -> bool:
    """Whether the matrix lets this caller through the door (what lies behind may still be absent)."""
    if row.least == "anyone":
        return True
    if row.least in ("service", "metrics token") or name in ("anonymous", "revoked key", "expired key"):
        return False
    if name == "first password":
        return row.first_password
    if name == "unrelated key" and row.scope:
        return False
    if row.least == "session":
        return name in _SESSIONS
    if name == "scoped key" and row.least == "platform admin":
        return True  # that key is a platform admin's
    return _ROLES.get(name, 0) >= {"signed in": 0, "admin": 1, "platform admin": 2}[row.least]


@dataclass
class Cast:
    installation: Installation

    @cached_property
    def tenant(self) -> Tenant:
        return self.installation.new_account()

    @cached_property
    def other(self) -> Tenant:
        return self.installation.new_account()

    @cached_property
    def things(self) -> dict[str, str]:
        """One thing of each kind that the tenant owns, by the path it is found under."""
        admin = self.tenant.admin
        users = admin.done("GET", "/api/users")["items"]
        team = admin.done("POST", "/api/teams", {"name": "The team"})["id"]
        rule = {"name": "A rule", "entity": "applications", "teams": [team], "actions": ["VIEW"]}
        key = admin.done("POST", "/api/api-keys", {"name": "A key"})["api_key"]["id"]
        invited = admin.done("POST", "/api/invitations", {"email": "invited@example.com"})
        return {
            "/api/users/{id}": next(one["id"] for one in users if one["email"] == self.tenant.member_email),
            "/api/users/{id}/reset-password": users[0]["id"],
            "/api/teams/{id}": team,
            "/api/service-accounts/{id}": admin.done("POST", "/api/service-accounts", {"name": "A robot"})[
                "id"
            ],
            "/api/access-rules/{id}": admin.done("POST", "/api/access-rules", rule)["id"],
            "/api/api-keys/{id}": key,
            "/api/auth/key/{id}": key,
            "/api/invitations/{id}": invited["invitation"]["id"],
            "/api/me/sessions/{id}": admin.done("GET", "/api/me/sessions")["items"][0]["id"],
            "/api/audit/{id}": self.sealed_change(self.tenant),
            **{f"/api/git/repositories/{{id}}{part}": self.repository["id"] for part in _PARTS},
        }

    @cached_property
    def repository(self) -> dict[str, Any]:
        made: dict[str, Any] = self.tenant.admin.done(
            "POST", "/api/git/repositories", {"name": "a-repository"}
        )
        return made

    def sealed_change(self, tenant: Tenant) -> str:
        """The id of an entry in the account's audit log; it gets there within a second of the change."""
        until = time.monotonic() + 10
        while time.monotonic() < until:
            if items := tenant.admin.done("GET", "/api/audit?kind=change&limit=1")["items"]:
                return str(items[0]["id"])
            time.sleep(0.05)
        raise AssertionError("no change was sealed within 10 s")

    def busy(self) -> Sender:
        """An admin of the other account, through one of many keys in turn: each has a limit of its own."""
        return sender(Client(self.installation.url, key=next(self._keys_in_turn)))

    @cached_property
    def _keys_in_turn(self) -> Iterator[str]:
        return itertools.cycle([self._key(self.other.admin, name=f"busy {n}")["key"] for n in range(16)])

    def client(self, name: Name, row: Row) -> Sender:
        match name:
            case "anonymous":
                return Sender(self.installation.url, source=f"127.0.{secrets.randbelow(200) + 1}.7")
            case "stranger":
                return sender(self.other.admin)
            case "viewer":
                return sender(self._viewer)
            case "member":
                return sender(self._member)
            case "admin":
                return sender(self.tenant.admin)
            case "platform admin":
                return sender(self.installation.admin)
            case "revoked key":
                return sender(self._revoked_key)
            case "expired key":
                return sender(self._expired_key)
            case "unrelated key":
                return sender(self._unrelated_key)
            case "scoped key":
                return sender(self._scoped_key(row))
            case "first password":
                return sender(self.first_password())

    @cached_property
    def _viewer(self) -> Client:
        return self.tenant.member

    @cached_property
    def _member(self) -> Client:
        email, password = self._new_user()
        client = self.installation.anonymous.sign_in(email, password)
        client.done("POST", "/api/me/password", {"current": password, "new": PASSWORD})
        me = client.done("GET", "/api/me")["id"]
        self.tenant.admin.done("PATCH", f"/api/teams/{self.things['/api/teams/{id}']}", {"add_members": [me]})
        return client

    def first_password(self) -> Client:
        return self._first_password

    @cached_property
    def _first_password(self) -> Client:
        return self.installation.anonymous.sign_in(*self._new_user())

    def _new_user(self) -> tuple[str, str]:
        email = f"user-{secrets.token_hex(5)}@example.com"
        made = self.tenant.admin.done("POST", "/api/users", {"email": email})
        return email, made["one_time_password"]

    @cached_property
    def _revoked_key(self) -> Client:
        made = self._key(self.tenant.admin, name="revoked")
        client = Client(self.installation.url, key=made["key"])
        client.done("GET", "/api/me")
        self.tenant.admin.done("DELETE", f"/api/api-keys/{made['api_key']['id']}")
        return client

    @cached_property
    def _expired_key(self) -> Client:
        made = self._key(self.tenant.admin, name="expired", expires_days=1)
        execute(
            self.installation,
            "UPDATE identity.api_keys SET expires = now() - interval '1 second' WHERE id = $1",
            made["api_key"]["id"],
        )
        return Client(self.installation.url, key=made["key"])

    @cached_property
    def _unrelated_key(self) -> Client:
        """All rights of a platform admin, but a list of scopes in which nothing stands."""
        return Client(
            self.installation.url, key=self._key(self.installation.admin, name="unrelated", scopes=[])["key"]
        )

    @cached_property
    def _keys_by_scope(self) -> dict[str, Client]:
        return {}

    def _scoped_key(self, row: Row) -> Client:
        """Just the one scope that the row names; a platform admin's, so that the role is never what is missing."""
        if row.scope not in self._keys_by_scope:
            scopes = [row.scope] if row.scope not in ("", "password:write") else []
            made = self._key(self.installation.admin, name=f"only {row.scope}", scopes=scopes)
            self._keys_by_scope[row.scope] = Client(self.installation.url, key=made["key"])
        return self._keys_by_scope[row.scope]

    def _key(self, owner: Client, **wanted: Any) -> Any:
        return owner.done("POST", "/api/api-keys", wanted)
