"""`argosy service install|uninstall`: the platform as a systemd service, of the user or of the machine.

The unit's text is a pure function. Where there is no systemd the text is shown instead, so that nothing is hidden.
What the environment says for `up` goes along in a file of its own beside the unit, which only its owner can read: it may
hold the password of a database.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from argosy.host.lifecycle.failures import FAILED, OK
from argosy.host.paths import DataDir
from argosy.kit.errors import Unavailable

Scope = Literal["user", "system"]
NAME = "argosy.service"
_SECONDS = 180
_NOT_CARRIED = {
    "ARGOSY_DATA_DIR",
    "ARGOSY_URL",
    "ARGOSY_API_KEY",
    "ARGOSY_CA",
    "ARGOSY_CONFIG",
}  # all but one: the CLI's
_UNITS = {"user": "~/.config/systemd/user", "system": "/etc/systemd/system"}
_TARGETS = {"user": "default.target", "system": "multi-user.target"}
_UNIT = """\
[Unit]
Description=Argosy, a GitOps and CI/CD platform
After=network.target

[Service]
Type=notify
NotifyAccess=main
ExecStart={command}
# The supervisor stops its processes in order; systemd only ends what would be left.
KillMode=mixed
# It has its own deadlines, and the recovery of a large database may take long.
TimeoutStartSec=infinity
TimeoutStopSec=120
Restart=on-failure
RestartSec=5
UMask=0077
{environment}
[Install]
WantedBy={target}
"""


def unit(python: str, data_dir: Path, scope: Scope, environment: Path | None = None) -> str:
    arguments = [python, "-m", "argosy.host", "up", "--data-dir", str(data_dir)]
    carried = f"EnvironmentFile={_escaped(str(environment))}\n" if environment else ""
    return _UNIT.format(
        command=" ".join(map(_quoted, arguments)), target=_TARGETS[scope], environment=carried
    )


def carried(environ: Mapping[str, str]) -> dict[str, str]:
    """What `up` and its processes read from the environment; the data directory stands in the unit itself."""
    return {
        name: value
        for name, value in sorted(environ.items())
        if name.startswith("ARGOSY_") and name not in _NOT_CARRIED
    }


def environment_file(variables: Mapping[str, str]) -> str:
    """As systemd reads it: nothing is expanded, and in quotes these four want a backslash."""
    quoted = {
        name: "".join(f"\\{letter}" if letter in '"\\`$' else letter for letter in value)
        for name, value in variables.items()
    }
    return "".join(f'{name}="{value}"\n' for name, value in quoted.items())


def install(data: DataDir, scope: Scope) -> int:
    path, variables = _path(scope), carried(os.environ)
    beside = path.with_suffix(".env")
    text = unit(sys.executable, data.root, scope, beside if variables else None)
    told = f"{beside} has {', '.join(variables)}, as set here\n" if variables else ""
    if not _has_systemd():
        sys.stdout.write(
            f"There is no systemd here. This is the unit; on a machine with systemd it belongs in\n{path}\n\n{text}"
        )
        return FAILED
    if variables:
        _write(beside, environment_file(variables), 0o600)
    else:
        beside.unlink(missing_ok=True)
    _write(path, text, 0o644)
    _systemctl(scope, "daemon-reload")
    _systemctl(scope, "enable", "--now", NAME)
    sys.stdout.write(f"installed and started {path}\n{told}see it with: {_shown(scope)} status {NAME}\n")
    if scope == "user":
        sys.stdout.write("to let it run while you are signed out: loginctl enable-linger\n")
    return OK


def uninstall(scope: Scope) -> int:
    path = _path(scope)
    if not path.exists():
        sys.stdout.write(f"not installed: {path} does not exist\n")
        return OK
    if _has_systemd():
        _systemctl(scope, "disable", "--now", NAME)
    path.unlink()
    path.with_suffix(".env").unlink(missing_ok=True)
    if _has_systemd():
        _systemctl(scope, "daemon-reload")
    sys.stdout.write(f"removed {path}; the data stays\n")
    return OK


def _path(scope: Scope) -> Path:
    return Path(_UNITS[scope]).expanduser() / NAME


def _write(path: Path, text: str, mode: int) -> None:
    draft = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
        draft.chmod(mode)
        draft.replace(path)
    except OSError as error:
        raise Unavailable(
            f"cannot write the unit: {error.strerror}",
            code="host.service",
            cure="run as root, or install for yourself with --user",
            context={"where": str(path)},
        ) from error


def _has_systemd() -> bool:
    return bool(shutil.which("systemctl")) and Path("/run/systemd/system").is_dir()


def _shown(scope: Scope) -> str:
    return "systemctl --user" if scope == "user" else "systemctl"


def _systemctl(scope: Scope, *arguments: str) -> None:
    command = [*_shown(scope).split(), *arguments]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        said, failed = told.stderr.strip(), told.returncode != 0
    except subprocess.TimeoutExpired:
        said, failed = f"no answer for {_SECONDS} s", True
    if failed:
        raise Unavailable(
            f"systemd refused: {said.splitlines()[-1] if said else 'no reason given'}",
            code="host.service",
            cure=f"see: {'journalctl --user' if scope == 'user' else 'journalctl'} -u {NAME}",
            context={"where": " ".join(command)},
        )


def _escaped(path: str) -> str:
    """A path that is a whole value: blanks need nothing, only systemd's own %."""
    return path.replace("%", "%%")


def _quoted(argument: str) -> str:
    """As systemd reads it: quotes around blanks, and its own % and $ doubled."""
    text = argument.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"' if any(c in text for c in " \t;'\"\\") else text
