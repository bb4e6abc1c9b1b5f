"""Where the cluster of a data directory lies, and where its socket is.

Normally under `DataDir.postgres`. PostgreSQL refuses to run as root, so for root the cluster belongs to a user
of its own, who must be able to get there: when a parent such as /root is closed, `DataDir.postgres` is a
symbolic link to a folder under /var/lib/argosy, and `remove` (for `argosy reset`) takes both.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from argosy.host.paths import DataDir
from argosy.host.postgres.owner import Owner, owner_of
from argosy.kit.errors import Conflict

PORT = 5432  # only names the socket; nothing listens on TCP
HOME_SETTING = "ARGOSY_POSTGRES_HOME"
_SOCKET_LIMIT = 107
_CLAIM = "data-directory"


@dataclass(frozen=True, slots=True)
class Location:
    home: Path
    """Holds the cluster and, while it is being made, its unfinished predecessor."""
    owner: Owner

    @property
    def cluster(self) -> Path:
        return self.home / "cluster"

    @property
    def sockets(self) -> Path:
        return socket_folder(self.home / "sockets")

    def exists(self) -> bool:
        return (self.cluster / "PG_VERSION").is_file()


def socket_folder(wanted: Path) -> Path:
    """Unix sockets end at 107 bytes; for a deeper data directory a private folder in the runtime directory."""
    if len(os.fsencode(wanted / f".s.PGSQL.{PORT}")) <= _SOCKET_LIMIT:
        return wanted
    runtime = os.environ.get("XDG_RUNTIME_DIR", "") if os.geteuid() else "/run"
    name = hashlib.sha256(os.fsencode(wanted)).hexdigest()[:16]
    return Path(runtime or tempfile.gettempdir()) / f"argosy-{os.geteuid()}-{name}"


def shared_home() -> Path:
    """What root uses for clusters whose data directory is closed to others, and for copies of the programs."""
    return Path(os.environ.get(HOME_SETTING, "") or "/var/lib/argosy")


def locate(data: DataDir) -> Location:
    """Reads only: for those who connect."""
    home = data.postgres.resolve()
    return Location(home, owner_of(home))


def settle(data: DataDir) -> Location:
    """Makes the folders with their owners and modes; safe to repeat."""
    try:
        data.create()
        if os.geteuid() == 0:
            _settle_as_root(data)
        location = locate(data)
        _private(location.home, location.owner)
        _private(location.sockets, location.owner)
    except OSError as error:
        raise unwritable(data, error) from error
    return location


def unwritable(data: DataDir, error: OSError) -> Conflict:
    """Not `Unavailable`: trying again would not help, and the supervisor would."""
    return Conflict(
        f"cannot write the data directory {data.root}: {error.strerror or error}"
        + (f" ({error.filename})" if error.filename and str(error.filename) != str(data.root) else ""),
        code="data_dir.not_writable",
        cure="make it writable for this user, or choose another with --data-dir",
    )


def _settle_as_root(data: DataDir) -> None:
    if data.postgres.is_symlink():
        _check_claim(data)
        return
    owner = owner_of(data.postgres)
    if owner.may_enter(data.root.resolve().parent):
        # Only this one group may pass through; what lies beside postgres/ stays closed by its own mode.
        os.chown(data.root, 0, owner.gid)
        data.root.chmod(0o710)
    elif data.postgres.exists():
        raise Conflict(
            f"the user that runs PostgreSQL can no longer reach {data.postgres}: a parent folder is closed",
            code="postgres.unreachable",
            cure=f"move {data.root} back to where it was, or open its parents with chmod o+x",
        )
    else:
        _settle_elsewhere(data, owner)


def _settle_elsewhere(data: DataDir, owner: Owner) -> None:
    if not shared_home().is_dir():
        shared_home().mkdir(parents=True, exist_ok=True)
        shared_home().chmod(0o755)  # whatever the umask: the server's user must pass
    # The claim is written by root, so it lies where the cluster's owner cannot replace it by a link.
    home = shared_home() / secrets.token_hex(6) / "postgres"
    home.parent.mkdir()
    home.parent.chmod(0o711)
    _private(home, owner)
    _write_claim(home, data)
    data.postgres.symlink_to(home)


def _write_claim(home: Path, data: DataDir) -> None:
    (home.parent / _CLAIM).write_text(f"{data.root.resolve()}\n")


def _check_claim(data: DataDir) -> None:
    """A copied data directory links to the cluster of the original: starting it would share that one."""
    home = data.postgres.resolve()
    if not home.is_dir():
        raise Conflict(
            f"the database of {data.root} was in {home}, which is gone",
            code="postgres.gone",
            cure=f"bring {home} back, or begin anew with 'argosy reset --yes' and 'argosy restore FILE'",
        )
    try:
        claimed = Path((home.parent / _CLAIM).read_text().strip())
    except FileNotFoundError:
        claimed = data.root.resolve()
    if claimed != data.root.resolve() and (claimed / "postgres").resolve() == home:
        raise Conflict(
            f"{data.root} is a copy: its database in {home} belongs to {claimed}",
            code="postgres.claimed",
            cure="copy an installation with 'argosy backup FILE' and 'argosy restore FILE'",
        )
    _write_claim(home, data)


def _private(folder: Path, owner: Owner) -> None:
    """A folder of the owner's, 0700. One that somebody else put there first is never trusted."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700)
        owner.own(folder)
    facts = folder.lstat()
    if folder.is_symlink() or facts.st_uid != owner.uid:
        raise Conflict(
            f"{folder} belongs to somebody else (uid {facts.st_uid}, wanted {owner.uid})",
            code="postgres.foreign_folder",
            cure=f"remove {folder}, or run as the user who made it",
        )
    if facts.st_mode & 0o777 != 0o700:
        folder.chmod(0o700)


def remove(data: DataDir) -> None:
    """The cluster and its socket, wherever they are. Only after everything has stopped."""
    location = locate(data)
    for folder in (location.sockets, location.home):
        if folder.exists():
            shutil.rmtree(folder)
    if data.postgres.is_symlink():
        if location.home.parent.parent == shared_home().resolve():
            shutil.rmtree(location.home.parent, ignore_errors=True)
        data.postgres.unlink()
