"""The browser of the browser tests: Debian's chromium, installed when this machine lets us.

`tools.test` calls `ensure` before the tests; `tests/conftest.py` asks `find` and skips, or in CI fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tools.steps import Stop, run, step

SETTING = "ARGOSY_TEST_CHROMIUM"
_NAMES = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")


def find() -> Path | None:
    if chosen := os.environ.get(SETTING, ""):
        return Path(chosen) if Path(chosen).is_file() else None
    return next((Path(found) for name in _NAMES if (found := shutil.which(name))), None)


def ensure() -> str:
    """Empty when there is a browser; otherwise why there is none, and the cure."""
    if find() is not None:
        return ""
    if shutil.which("apt-get") is None:
        return f"no chromium, and no apt-get to install it: install one, or set {SETTING}"
    if (root := _as_root()) is None:
        return "no chromium, and no right to install it: sudo apt-get install chromium"
    try:
        with step("chromium from the distribution"):
            apt = [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
            run([*apt, "update"], deadline=300)
            run([*apt, "install", "--yes", "--no-install-recommends", "chromium"], deadline=900)
    except Stop as stop:
        lines = str(stop).splitlines()
        cause = next((line for line in lines if line.startswith("E: ")), lines[-1])
        return f"chromium could not be installed: {cause.removeprefix('E: ')}"
    return "" if find() is not None else "the distribution's chromium package brings no chromium (a snap?)"


def _as_root() -> list[str] | None:
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    asked = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False, timeout=30)
    return ["sudo", "-n"] if asked.returncode == 0 else None
