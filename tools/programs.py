"""Programs that tests drive and no Python package brings: taken from the distribution when this machine lets us.

`tools.test` calls `ensure` before the tests. A test that needs one of them skips without it, and in CI fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tools import browser
from tools.steps import Stop, run, step


@dataclass(frozen=True)
class Program:
    """What a test looks for, and the package of Debian and Ubuntu that brings it."""

    package: str
    present: Callable[[], bool]


def on_path(name: str) -> Program:
    return Program(name, lambda: shutil.which(name) is not None)


WANTED: Sequence[Program] = (
    Program("chromium", lambda: browser.find() is not None),
    on_path("zsh"),
    on_path("fish"),
    Program("kubernetes-client", lambda: shutil.which("kubectl") is not None),
)


def ensure(wanted: Sequence[Program] = WANTED) -> str:
    """Empty when all are there; otherwise which are not, why, and the cure."""
    if not (missing := _missing(wanted)):
        return ""
    named = " and ".join(missing)
    if shutil.which("apt-get") is None:
        return f"no {named}, and no apt-get to install them: install them, or set {browser.SETTING} for a browser"
    if (root := _as_root()) is None:
        return f"no {named}, and no right to install them: sudo apt-get install {' '.join(missing)}"
    try:
        with step(f"{named} from the distribution"):
            apt = [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
            run([*apt, "update"], deadline=300)
            run([*apt, "install", "--yes", "--no-install-recommends", *missing], deadline=900)
    except Stop as stop:
        lines = str(stop).splitlines()
        cause = next((line for line in lines if line.startswith("E: ")), lines[-1])
        return f"{named} could not be installed: {cause.removeprefix('E: ')}"
    still = _missing(wanted)
    return f"the distribution's packages do not bring {' and '.join(still)} (a snap?)" if still else ""


def _missing(wanted: Sequence[Program]) -> list[str]:
    return [program.package for program in wanted if not program.present()]


def _as_root() -> list[str] | None:
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    asked = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False, timeout=30)
    return ["sudo", "-n"] if asked.returncode == 0 else None
