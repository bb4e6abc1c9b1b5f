"""Names and identities that the server gives."""

from __future__ import annotations

import random
import uuid

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_LONGEST, _SUFFIX = 63, 5


def generated(base: str) -> str:
    """`web-` → `web-x7k2p`, never longer than a label."""
    return base[: _LONGEST - _SUFFIX] + "".join(random.choices(_ALPHABET, k=_SUFFIX))


def new_uid() -> str:
    return str(uuid.uuid4())
