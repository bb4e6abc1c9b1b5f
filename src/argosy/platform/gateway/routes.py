"""Which service answers which public path: the contracts' own tables, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from argosy.contracts import audit, cron, git_server, identity
from argosy.contracts.gateway import (
    Accept,
    CompatibleUser,
    LoggedIn,
    Login,
    LoginLink,
    ServiceDeadLetters,
    ServiceDiscard,
    ServiceReplay,
    ServiceStates,
    System,
    Version,
)
from argosy.contracts.hosting import DeadLetters, Replayed
from argosy.kit.operations import Nothing, Operation, operations
from argosy.kit.web.openapi import Entry
from argosy.kit.web.routes import Route


@dataclass(frozen=True, slots=True)
class Forwarded:
    service: str
    route: Route
    operation: Operation


def forwarded() -> tuple[Forwarded, ...]:
    tables = (
        ("identity", identity.Identity, identity.ROUTES),
        ("audit", audit.Audit, audit.ROUTES),
        ("cron", cron.Cron, cron.ROUTES),
        ("git_server", git_server.GitServer, git_server.ROUTES),
    )
    return tuple(
        Forwarded(service, route, operations(contract)[route.operation])
        for service, contract, table in tables
        for route in table
    )


SERVICES = ("identity", "audit", "cron", "git_server")


@dataclass(frozen=True, slots=True)
class Own:
    """An answer that the gateway gives itself, because it sets cookies, speaks an older form or asks several services."""

    method: str
    path: str
    name: str
    needs: Literal["public", "signed_in", "platform_admin"]
    summary: str
    answers: type[msgspec.Struct]
    body: type[msgspec.Struct] | None = None
    query: type[msgspec.Struct] | None = None
    scope: str = ""
    tag: str = "session"
    shape: Literal["json", "html"] = "json"


OWN = (
    Own("POST", "/api/auth/login", "login", "public", "Sign in; sets the session cookie.", LoggedIn, Login),
    Own("POST", "/api/auth/link", "link", "public", "Sign in with a single-use link.", LoggedIn, LoginLink),
    Own("GET", "/api/auth/invitation", "invitation", "public", "What an invitation is for.",
        identity.InvitationPreview, query=identity.InvitationToken),
    Own("POST", "/api/auth/accept-invitation", "accept", "public", "Join an account and sign in.", LoggedIn, Accept),
    Own("POST", "/api/auth/logout", "logout", "signed_in", "End the session.", Nothing),
    Own("GET", "/api/auth/authenticate", "authenticate", "signed_in", "200 if the credential is good.", Nothing),
    Own("GET", "/api/user", "user", "signed_in", "The caller, as existing clients read it.", CompatibleUser, tag="me"),
    Own("GET", "/api/version", "version", "public", "The version.", Version, tag="system"),
    Own("GET", "/api/system", "system", "platform_admin", "Services, versions, storage, backups.", System,
        scope="system:read", tag="system"),
    Own("GET", "/api/system/services", "services", "signed_in", "Which services are degraded.", ServiceStates,
        tag="system"),
    Own("GET", "/api/system/dead-letters", "dead_letters", "platform_admin", "Events that could not be processed.",
        DeadLetters, query=ServiceDeadLetters, scope="system:read", tag="system"),
    Own("POST", "/api/system/dead-letters/replay", "replay", "platform_admin", "Process them again, in order.",
        Replayed, body=ServiceReplay, scope="system:write", tag="system"),
    Own("POST", "/api/system/dead-letters/discard", "discard", "platform_admin",
        "Give one up for good; those behind it are processed.", Replayed, body=ServiceDiscard, scope="system:write",
        tag="system"),
    Own("GET", "/api/openapi.json", "openapi", "public", "This description.", Nothing, tag="system"),
    Own("GET", "/api/reference", "reference", "public", "This description as a page.", Nothing, tag="system",
        shape="html"),
)  # fmt: skip

INGRESS = Own("*", "/ingress/{cluster}/{namespace}/{name}", "ingress", "signed_in", "What an Ingress serves.", Nothing,
    scope="ingress:use", tag="ingress")  # fmt: skip
"""No key can be limited to it: a session, or a key without limits."""


def openapi_entries() -> list[Entry]:
    """Every public route as the OpenAPI document shows it."""
    entries = [
        Entry(
            one.route.method, one.route.path, f"{one.service}_{one.operation.name}", one.operation.summary,
            one.route.tag, one.operation.request, one.operation.response, one.route.shape, public=False,
            scope=one.operation.scope, needs=str(one.operation.needs),
        )
        for one in forwarded()
    ]  # fmt: skip
    entries += [
        Entry(
            one.method, one.path, f"gateway_{one.name}", one.summary, one.tag, one.body or one.query or Nothing,
            one.answers, one.shape, public=one.needs == "public", scope=one.scope, needs=one.needs,
        )
        for one in OWN
    ]  # fmt: skip
    return entries
