"""Identifiers: 24 hex digits, as existing clients expect, that sort by creation time.

Four bytes of seconds, then eight random ones. They are names, never secrets: `token` makes those.
"""

from __future__ import annotations

import re
import secrets
import time

ID_PATTERN = re.compile(r"[0-9a-f]{24}")


def new_id() -> str:
    return f"{int(time.time()) & 0xFFFFFFFF:08x}{secrets.token_hex(8)}"


def is_id(text: str) -> bool:
    return ID_PATTERN.fullmatch(text) is not None


def token(bytes_of_entropy: int = 32) -> str:
    """A secret for a URL or a header: unguessable, and never shaped like a JWT (no dots)."""
    return secrets.token_urlsafe(bytes_of_entropy)
