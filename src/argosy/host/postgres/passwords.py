"""One random password per database role, each in a 0600 file of `DataDir.secrets`.

The server is only ever sent the SCRAM verifier, so a password appears in no statement, log or error.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets

from argosy.host.paths import DataDir
from argosy.kit.ids import token

ADMIN = "postgres"
"""The superuser: for the host alone, which makes roles and backups."""
EVENTS = "events"
_ITERATIONS = 4096
_VERIFIER = re.compile(r"SCRAM-SHA-256\$(\d+):([^$]+)\$([^:]+):(.+)")


def password(data: DataDir, name: str) -> str:
    """Made on first use. The link makes it appear whole or not at all, and only one of two makers wins."""
    path = data.secrets / f"db-{name}"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        pass
    draft = path.with_name(f".{path.name}-{secrets.token_hex(6)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(token() + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text().strip()


def verifier(secret: str, *, salt: bytes | None = None, iterations: int = _ITERATIONS) -> str:
    """What PostgreSQL stores for a password (RFC 5803). Ours are ASCII, so SASLprep changes nothing."""
    salt = salt if salt is not None else secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", secret.encode("ascii"), salt, iterations)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    text = (base64.b64encode(part).decode() for part in (salt, stored, server))
    return "SCRAM-SHA-256${}:{}${}:{}".format(iterations, *text)


def matches(secret: str, stored: str | None) -> bool:
    found = _VERIFIER.fullmatch(stored or "")
    if found is None:
        return False
    again = verifier(secret, salt=base64.b64decode(found[2]), iterations=int(found[1]))
    return hmac.compare_digest(again, found[0])
