"""Writes a key file so that it is whole, private, and there only once, whatever dies and whoever else tries.

Used by `service_keys` here and by identity's `issuer`.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def create_once(file: Path, content: bytes, mode: int) -> bool:
    """False if somebody else was first: their file stands, read it."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(6)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.link(draft, file)  # unlike a rename, this never replaces
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    _sync(file.parent)
    return True


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
