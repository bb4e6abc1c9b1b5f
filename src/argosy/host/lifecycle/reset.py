"""`argosy reset`: forget everything. Shows what would go, and goes only with --yes, and only on our own folder."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from argosy.host.backup import finish_interrupted
from argosy.host.lifecycle import down
from argosy.host.lifecycle.failures import OK, REFUSED, not_running, refused
from argosy.host.paths import DataDir
from argosy.host.postgres import location
from argosy.host.postgres.process import stop_leftovers
from argosy.host.supervisor import leftovers, lock, state


def run(data: DataDir, *, yes: bool, stop: bool) -> int:
    _check(data.root)
    if not yes:
        sys.stdout.write(preview(data) + "Nothing is deleted yet: say it with 'argosy reset --yes'\n")
        return REFUSED
    if not lock.is_free(data.lock):
        if not stop:
            raise refused(
                "Argosy is running, and its data would be deleted",
                where=data.root,
                cure="stop it first with 'argosy down', or say 'argosy reset --yes --stop'",
            )
        down.stop(data)
    with lock.held(data.lock) as ours:
        if not ours:
            raise refused("Argosy is just being started", where=data.root, cure="try again in a moment")
        leftovers.end(state.read(data.state), _say)
        stop_leftovers(data, _say)
        finish_interrupted(data)  # a restore that was cut short has a database of its own
        location.remove(data)
        # The lock goes last: until then no other `up` can begin in what is half gone.
        for entry in data.root.iterdir():
            if entry != data.run:
                _remove(entry)
        shutil.rmtree(data.run)
    data.root.rmdir()
    _say(f"deleted {data.root}")
    return OK


def preview(data: DataDir) -> str:
    lines = [f"would delete {data.root} ({_megabytes(data.root)} MB):"]
    lines += [f"  {entry.name}{'/' if entry.is_dir() else ''}" for entry in sorted(data.root.iterdir())]
    home = location.locate(data).home
    if home.exists() and not home.is_relative_to(data.root.resolve()):
        lines.append(f"and its database in {home} ({_megabytes(home)} MB)")
    if not lock.is_free(data.lock):
        lines.append("Argosy is running there.")
    return "\n".join(lines) + "\n"


def _check(root: Path) -> None:
    """Only a folder that `argosy up` has made, and never a home or a root."""
    if not root.is_dir():
        raise not_running(root, note="there is nothing to reset")
    ours = (root / "run" / "supervisor.lock").is_file() and (root / "secrets").is_dir()
    if not ours or root.is_symlink() or root.resolve() in (Path("/"), Path.home().resolve()):
        raise refused(
            "this is not a data directory that 'argosy up' has made",
            where=root,
            cure="name the right one with --data-dir",
        )
    if root.stat().st_uid != os.geteuid():
        raise refused("this data directory belongs to somebody else", where=root, cure="run as its owner")


def _remove(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink()


def _megabytes(folder: Path) -> int:
    size = 0
    for path, _, files in os.walk(folder):
        for name in files:
            size += Path(path, name).lstat().st_size
    return size // 2**20


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
