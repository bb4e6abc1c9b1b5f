"""The public edge's own answers: sessions as cookies, who the caller is in the form existing clients read, and the system page.

The gateway has no data of its own; it asks the other services. Its routes that set cookies are written by hand in
`platform/gateway`; their bodies are here because the UI and the CLI speak them too.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec

from argosy.contracts.hosting import DeadLetterRequest, Health
from argosy.contracts.paging import Text


class Login(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /api/auth/login. Answers `LoggedIn` and sets the session cookie."""

    email: Annotated[str, msgspec.Meta(max_length=254)]
    password: Annotated[str, msgspec.Meta(max_length=1024)]


class LoginLink(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /api/auth/link: the token of a single-use link."""

    token: Annotated[str, msgspec.Meta(max_length=200)]


class Accept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /api/auth/accept-invitation. Answers `LoggedIn`."""

    token: Annotated[str, msgspec.Meta(max_length=200)]
    name: Annotated[str, msgspec.Meta(max_length=120)] = ""
    password: Annotated[str, msgspec.Meta(max_length=1024)] = ""


class LoggedIn(msgspec.Struct, frozen=True):
    expires: datetime
    must_change_password: bool


class CompatibleAccount(msgspec.Struct, frozen=True):
    """Some clients read `id`, some `_id`: both are there."""

    id: str
    id_: str = msgspec.field(name="_id")
    name: str = ""
    runtimeEnvironment: list[str] = []
    admins: list[str] = []
    features: dict[str, bool] = {}


class CompatibleUser(msgspec.Struct, frozen=True):
    """GET /api/user."""

    id: str = msgspec.field(name="_id")
    userName: str
    email: str
    roles: list[str]
    activeAccountName: str
    account: list[CompatibleAccount]
    user_data: dict[str, str] = {}


class Version(msgspec.Struct, frozen=True):
    """GET /api/version (no credential needed: only the version)."""

    version: str


class Storage(msgspec.Struct, frozen=True):
    data_dir: str
    free_bytes: int
    total_bytes: int
    database_bytes: int


class BackupInfo(msgspec.Struct, frozen=True):
    file: str
    taken: datetime
    bytes: int
    clusters: list[str]
    """The embedded clusters in it."""
    left_out: list[str]
    """Those that could not be read when it was made."""


class System(msgspec.Struct, frozen=True):
    """GET /api/system (platform admins)."""

    version: str
    python: str
    public_url: str
    started: datetime
    services: list[Health]
    storage: Storage | None
    backups: list[BackupInfo]


class ServiceStates(msgspec.Struct, frozen=True):
    """GET /api/system/services (anyone signed in): which services are degraded, so that pages can say so."""

    services: list[Health]


class ServiceDeadLetters(DeadLetterRequest, frozen=True, kw_only=True):
    """GET /api/system/dead-letters: those of one service."""

    service: Text = "audit"


class ServiceDiscard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /api/system/dead-letters/discard."""

    service: Text
    consumer: Annotated[str, msgspec.Meta(min_length=1, max_length=120)]
    id: Annotated[str, msgspec.Meta(min_length=1, max_length=120)]


class ServiceReplay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /api/system/dead-letters/replay."""

    service: Text
    consumer: Annotated[str, msgspec.Meta(min_length=1, max_length=120)]
    key: Text
