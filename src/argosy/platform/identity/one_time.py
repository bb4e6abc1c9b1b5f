"""One-time passwords: shown once to whoever hands them over, and replaced at the first sign-in."""

from __future__ import annotations

import secrets

_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that looks like something else


def one_time_password() -> str:
    """Readable, and 99 bits strong: four groups of five."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(5)) for _ in range(4))
