"""`argosy service install|uninstall`: the platform as a systemd service, of the user or of the machine.

The unit's text is a pure function. Where there is no systemd the text is shown instead, so that nothing is hidden.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal

from argosy.host.lifecycle.failures import FAILED, OK
from argosy.host.paths import DataDir
from argosy.kit.errors import Unavailable

Scope = Literal["user", "system"]
NAME = "argosy.service"
_SECONDS = 180
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

[Install]
WantedBy={target}
"""


def unit(python: str, data_dir: Path, scope: Scope) -> str:
    arguments = [python, "-m", "argosy.host", "up", "--data-dir", str(data_dir)]
    return _UNIT.format(command=" ".join(map(_quoted, arguments)), target=_TARGETS[scope])


def install(data: DataDir, scope: Scope) -> int:
    text, path = unit(sys.executable, data.root, scope), _path(scope)
    if not _has_systemd():
        sys.stdout.write(
            f"There is no systemd here. This is the unit; on a machine with systemd it belongs in\n{path}\n\n{text}"
        )
        return FAILED
    _write(path, text)
    _systemctl(scope, "daemon-reload")
    _systemctl(scope, "enable", "--now", NAME)
    sys.stdout.write(f"installed and started {path}\nsee it with: {_shown(scope)} status {NAME}\n")
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
    if _has_systemd():
        _systemctl(scope, "daemon-reload")
    sys.stdout.write(f"removed {path}; the data stays\n")
    return OK


def _path(scope: Scope) -> Path:
    return Path(_UNITS[scope]).expanduser() / NAME


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o644)
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


def _quoted(argument: str) -> str:
    """As systemd reads it: quotes around blanks, and its own % and $ doubled."""
    text = argument.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"' if any(c in text for c in " \t;'\"\\") else text
