"""Addresses of the Unix sockets in a data directory: one has room for 107 bytes, however deep the directory lies.

A longer path is reached through a descriptor of its folder. Who listens (`web.listeners`) and who calls
(`host.composition.clients`, `host.lifecycle.readiness`) get it here; the supervisor's own socket needs no more than `chdir`.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

from argosy.kit.errors import Conflict

_ROOM = 107
_DESCRIPTORS = Path("/proc/self/fd")


def address(path: Path) -> str:
    if len(os.fsencode(path)) <= _ROOM:
        return str(path)
    if not _DESCRIPTORS.is_dir():
        raise Conflict(
            f"the path of a socket may have {_ROOM} bytes here, and this one has {len(os.fsencode(path))}",
            code="host.long_path",
            cure="choose a shorter place with --data-dir",
            context={"where": str(path)},
        )
    return str(_DESCRIPTORS / str(_folder(path.parent)) / path.name)


@functools.cache
def _folder(path: Path) -> int:
    """Open for the life of the process, like the connections made through it."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
