"""Secrets that we hand out and later recognise: session tokens, API keys, links, invitations.

They are random with 256 bits, so nobody can try them out and a single SHA-256 keeps them as safe at rest as a slow hash
would; passwords, which people choose, go through `passwords` instead. Only the digest is stored, and looked up by index:
what the time of a lookup tells is about digests, which an attacker cannot steer.
"""

from __future__ import annotations

import hashlib
import hmac
import re

from argosy.kit.ids import token

KEY_PREFIX = "argk_"
SHOWN = len(KEY_PREFIX) + 8  # of a key, in lists
_KEY = re.compile(r"argk_[A-Za-z0-9_-]{43}")


def new_secret() -> str:
    return token(32)


def new_key() -> str:
    """`argk_` and 43 characters: secret scanners know it by its shape, and it is never taken for a JWT."""
    return KEY_PREFIX + token(32)


def looks_like_key(text: str) -> bool:
    return _KEY.fullmatch(text) is not None


def digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def same(stored: bytes, shown: bytes) -> bool:
    return hmac.compare_digest(stored, shown)
