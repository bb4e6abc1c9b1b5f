"""API keys and their scopes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec

from argosy.contracts.identity.words import NamedRef, Scope, Subject
from argosy.contracts.paging import Id, Name, PageRequest, Text


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

    owner: Text = ""
    all: bool = False


class NewApiKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    scopes: Annotated[list[Scope], msgspec.Meta(max_length=100)] | None = None
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
