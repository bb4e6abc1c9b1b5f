"""What an operator may set about identity: the first admin, how long sessions last, what a password check costs."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import msgspec

Hours = Annotated[float, msgspec.Meta(gt=0, le=24 * 365)]


class IdentitySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    admin_email: str = "admin@argosy.local"
    account_name: str = "main"
    session_idle_hours: Hours = 12.0
    session_total_hours: Hours = 7 * 24.0
    invitation_days: Annotated[int, msgspec.Meta(ge=1, le=90)] = 7
    signing_key_days: Annotated[float, msgspec.Meta(gt=0, le=365)] = 30.0
    token_seconds: Annotated[float, msgspec.Meta(ge=5, le=60)] = 60.0
    hash_memory_kib: Annotated[int, msgspec.Meta(ge=8, le=1048576)] = 32768
    hash_rounds: Annotated[int, msgspec.Meta(ge=1, le=20)] = 3
    hashes_at_once: Annotated[int, msgspec.Meta(ge=1, le=16)] = 2

    @property
    def idle(self) -> timedelta:
        return timedelta(hours=self.session_idle_hours)

    @property
    def total(self) -> timedelta:
        return timedelta(hours=self.session_total_hours)
