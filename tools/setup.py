"""Makes a fresh clone runnable: uv, the Python packages of uv.lock, Node, the packages of `ui/`, the built UI.

`make setup`, `make up` and every other verb come here first (`--dev` adds what linters and tests need).
Each step leaves a stamp of what it read and is skipped while that is unchanged. Nothing is written
outside the checkout, and where packages come from is the machine's own configuration of pip, uv and npm.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools import bootstrap, stamps
from tools.mirror import index_of_pip, sync_from_index, trusting
from tools.steps import ROOT, Stop, run, step

VENV = ROOT / ".venv"
UI = ROOT / "ui"
BUILT_UI = ROOT / "src" / "argosy" / "platform" / "gateway" / "ui"
OLDEST_NODE = (20, 19)  # as ui/package.json says under engines


def main(arguments: list[str]) -> int:
    started = time.monotonic()
    try:
        with one_at_a_time():
            worked = prepare(dev="--dev" in arguments)
    except Stop as stop:
        print(f"setup: {stop}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if worked:
        print(f"  ready in {time.monotonic() - started:.1f} s", flush=True)
    return 0


def prepare(*, dev: bool) -> bool:
    """True when there was something to do."""
    node = node_on_path() if UI.joinpath("package.json").is_file() else Path()
    # Each of them runs, whatever the others had to do.
    return any([get_uv(), sync_python(dev=dev, with_node=node is None), install_node_packages(), build_ui()])


@contextmanager
def one_at_a_time() -> Iterator[None]:
    folder = ROOT / ".tools"
    folder.mkdir(exist_ok=True)
    with (folder / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def get_uv() -> bool:
    lock = stamps.digest([ROOT / "uv.lock"])
    if bootstrap.UV.is_file() and stamps.fresh("uv", lock):
        return False
    uv = bootstrap.pinned()
    found = bootstrap.UV.is_file() and run([bootstrap.UV, "--version"]).split()[1] == uv.version
    if not found:
        with step(f"uv {uv.version}"):
            bootstrap.install(uv)
    stamps.write("uv", lock)
    return not found


def sync_python(*, dev: bool, with_node: bool) -> bool:
    """The locked packages into `.venv`. A set-up for running leaves what an earlier one for testing brought."""
    wanted = stamps.digest(
        [ROOT / "uv.lock", ROOT / "pyproject.toml"], also=f"{sys.version_info[:2]} node={with_node}"
    )
    names = ("python-dev",) if dev else ("python", "python-dev")
    if (VENV / "bin" / "argosy").exists() and any(stamps.fresh(name, wanted) for name in names):
        return False
    for name in ("python", "python-dev"):
        stamps.forget(name)
    groups = [*([] if dev else ["--no-default-groups"]), *(["--group", "node"] if with_node else [])]
    with step("Python packages" + (" with the linters' and tests'" if dev else "")):
        if (index := index_of_pip()) is not None:
            sync_from_index(index, groups)
        else:
            exactness = [] if dev else ["--inexact"]
            command: list[str | Path] = [
                bootstrap.UV,
                "sync",
                "--frozen",
                *exactness,
                *groups,
                *which_python(),
            ]
            run(command, env=uv_environment(), cure="Check the network or the proxy, then run it again.")
    stamps.write("python-dev" if dev else "python", wanted)
    return True


def which_python() -> list[str]:
    """The interpreter that runs this, for a new environment; an existing one keeps its own."""
    return [] if (VENV / "bin" / "python").exists() else ["--python", sys.executable]


def uv_environment() -> dict[str, str]:
    environment = {**trusting(os.environ)}
    environment.pop("VIRTUAL_ENV", None)
    environment.setdefault("UV_PYTHON_DOWNLOADS", "never")
    environment.setdefault("UV_LINK_MODE", "copy" if _other_disk() else "hardlink")
    return environment


def _other_disk() -> bool:
    """Whether uv's cache is on another file system, where a hard link would fail with a warning."""
    cache = Path(os.environ.get("UV_CACHE_DIR") or Path.home() / ".cache")
    return not cache.exists() or cache.stat().st_dev != ROOT.stat().st_dev


def node_on_path() -> Path | None:
    """A Node that is new enough, with npm beside it."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False, timeout=30).stdout
    version = re.match(r"v(\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < OLDEST_NODE:
        return None
    return Path(node)


def node_environment() -> dict[str, str]:
    """For npm: the machine's Node, or the one in `.venv` in front when that is where it came from."""
    environment = {"NODE_USE_SYSTEM_CA": "1", "NO_COLOR": "1", "NPM_CONFIG_LOGLEVEL": "error", **os.environ}
    if node_on_path() is None:
        environment["PATH"] = f"{VENV / 'bin'}{os.pathsep}{environment.get('PATH', os.defpath)}"
    return environment


def install_node_packages() -> bool:
    lock = UI / "package-lock.json"
    if not lock.is_file():
        return False
    wanted = stamps.digest([lock, UI / "package.json"])
    if (UI / "node_modules").is_dir() and stamps.fresh("node_modules", wanted):
        return False
    stamps.forget("node_modules")
    with step("UI packages"):
        command = ["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"]
        run(command, cwd=UI, env=node_environment(), cure="Check the network or npm's configuration.")
    stamps.write("node_modules", wanted)
    return True


def build_ui() -> bool:
    if not (UI / "package.json").is_file():
        return False
    wanted = stamps.digest([UI])
    if (BUILT_UI / "index.html").is_file() and stamps.fresh("ui", wanted):
        return False
    stamps.forget("ui")
    with step("build of the UI"):
        run(["npm", "run", "build"], cwd=UI, env=node_environment(), cure="See `npm run build` in ui/.")
    stamps.write("ui", wanted)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
