"""Whom PostgreSQL runs as: ourselves, or as root a user of its own, because it refuses to run as root.

`location` asks for the owner of a cluster; everything that starts a PostgreSQL program takes it from there.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

USER = "argosy-postgres"
_UNNAMED_UIDS = range(61184, 65520)  # above what distributions hand out to people, below nobody


@dataclass(frozen=True, slots=True)
class Owner:
    uid: int
    gid: int
    switched: bool
    """True when we are root and start programs as somebody else."""

    @property
    def user(self) -> int | None:
        return self.uid if self.switched else None

    @property
    def group(self) -> int | None:
        return self.gid if self.switched else None

    @property
    def extra_groups(self) -> list[int] | None:
        return [] if self.switched else None

    def own(self, path: Path) -> None:
        if self.switched:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def may_enter(self, folder: Path) -> bool:
        """Whether every folder from / down to this one lets the owner through (by mode bits)."""
        return all(self._may_pass(each) for each in (folder, *folder.parents))

    def _may_pass(self, folder: Path) -> bool:
        facts = folder.stat()
        if facts.st_uid == self.uid:
            return bool(facts.st_mode & 0o100)
        if facts.st_gid == self.gid:
            return bool(facts.st_mode & 0o010)
        return bool(facts.st_mode & 0o001)


def owner_of(cluster_home: Path) -> Owner:
    """An existing cluster keeps its uid: in a container the volume outlives /etc/passwd."""
    if os.geteuid() != 0:
        return Owner(os.geteuid(), os.getegid(), switched=False)
    if cluster_home.is_dir() and (facts := cluster_home.stat()).st_uid != 0:
        return Owner(facts.st_uid, facts.st_gid, switched=True)
    return _system_user()


def _system_user() -> Owner:
    if (known := _by_name()) is not None:
        return known
    if (useradd := shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")) is not None:
        # Another start may win the race; what counts is that the user exists afterwards.
        subprocess.run(
            [useradd, "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent",
             "--shell", "/usr/sbin/nologin", USER],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False,
        )  # fmt: skip
        if (made := _by_name()) is not None:
            return made
    taken = {entry.pw_uid for entry in pwd.getpwall()} | {entry.pw_gid for entry in pwd.getpwall()}
    uid = next(number for number in _UNNAMED_UIDS if number not in taken)
    return Owner(uid, uid, switched=True)


def _by_name() -> Owner | None:
    try:
        entry = pwd.getpwnam(USER)
    except KeyError:
        return None
    return Owner(entry.pw_uid, entry.pw_gid, switched=True)


def named_stand_in(owner: Owner) -> Owner:
    """`initdb`, alone among the programs, insists on a uid with a name. For an unnamed one a minimal
    container's `nobody` makes the files, which then change hands."""
    try:
        pwd.getpwuid(owner.uid)
    except KeyError:
        if owner.switched:
            others = [entry for entry in pwd.getpwall() if entry.pw_uid != 0]
            others.sort(key=lambda entry: entry.pw_name != "nobody")
            if others:  # with the owner's group, which alone opens the way through the data directory
                return Owner(others[0].pw_uid, owner.gid, switched=True)
    return owner
