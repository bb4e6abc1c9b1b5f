"""The few words both sides share: header names, and a stream's lines."""

from __future__ import annotations

import msgspec

from argosy.kit.errors import ErrorBody

DEADLINE = "x-argosy-deadline"
REQUEST_ID = "x-request-id"
REMOTE = "x-argosy-remote"
USER_AGENT = "x-argosy-user-agent"
IDEMPOTENCY_KEY = "idempotency-key"


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of a stream: an item, or how it ended. A line with neither is a heartbeat."""

    item: msgspec.Raw = msgspec.Raw(b"")
    error: ErrorBody | None = None
    end: bool = False


HEARTBEAT = msgspec.json.encode(Line()) + b"\n"
END = msgspec.json.encode(Line(end=True)) + b"\n"


def path(service: str, operation: str) -> str:
    return f"/svc/{service}/{operation}"
