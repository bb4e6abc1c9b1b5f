"""Is this a place where an installation can live? Asked before anything is started. Called by `up` and `doctor`."""

from __future__ import annotations

import os
import pwd
import shutil
import tempfile
from pathlib import Path

from argosy.host.lifecycle.failures import refused
from argosy.host.paths import DataDir
from argosy.kit.errors import ArgosyError, Unavailable

NEEDED_BYTES = 300 * 1024 * 1024
_PRIVATE = 0o710  # root lets the one group of PostgreSQL pass through; see `postgres.location`


def prepare(data: DataDir) -> None:
    """Makes the folders, or says in three lines why that cannot be."""
    try:
        if data.root.exists():
            _check_owner(data.root)
        data.create()
        mode = data.root.stat().st_mode & 0o777
        if mode & ~_PRIVATE & 0o077:
            data.root.chmod(mode & _PRIVATE | 0o700)
        with tempfile.TemporaryFile(dir=data.run):
            pass
    except OSError as error:
        raise _cannot_write(data.root, error) from error
    if (free := free_bytes(data.root)) < NEEDED_BYTES:
        raise Unavailable(
            f"the disk is nearly full: {free // 2**20} MB free, {NEEDED_BYTES // 2**20} MB needed",
            code="data_dir.disk_full",
            cure="make room there, or choose another place with --data-dir",
            context={"where": str(data.root)},
        )


def free_bytes(path: Path) -> int:
    """Of the file system that holds the path, or will."""
    existing = next(p for p in (path, *path.parents) if p.exists())
    return shutil.disk_usage(existing).free


def _check_owner(root: Path) -> None:
    owner = root.stat().st_uid
    if owner != os.geteuid():
        raise refused(
            f"the data directory belongs to {user_name(owner)}, and you are {user_name(os.geteuid())}",
            where=root,
            cure=f"run as {user_name(owner)}, or choose another place with --data-dir",
        )


def user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"


def _cannot_write(root: Path, error: OSError) -> ArgosyError:
    inside = str(error.filename or root).startswith(str(root))
    return Unavailable(
        f"cannot write the data directory: {error.strerror or error}",
        code="data_dir.not_writable",
        cure=f"make it writable for {user_name(os.geteuid())}, or choose another place with --data-dir",
        context={"where": str(root if inside else error.filename)},
    )
