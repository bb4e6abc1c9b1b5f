"""What a killed supervisor leaves behind: a PostgreSQL that still runs on this cluster, or its stale pid file.

Two servers on one cluster would destroy it, so before each start whatever runs there is stopped. A process is
taken for ours only if the kernel says that it is a postgres whose working directory is this cluster.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from argosy.kit.errors import Conflict

_FAST_SECONDS = 30.0
_QUIT_SECONDS = 10.0


def clear_leftovers(cluster: Path, report: Callable[[str], None]) -> None:
    """Afterwards nothing runs on the cluster, and no pid file claims otherwise."""
    master = _pid_in(cluster / "postmaster.pid")
    if master is not None and _is_ours(master, cluster):
        report(f"stopping PostgreSQL (pid {master}) that an earlier run left behind")
        _signal(master, signal.SIGINT)
        _wait_until_gone(cluster, _FAST_SECONDS)
    # Without its master a backend ends by itself, unless it is deep in a query; recovery makes both safe.
    for step in (signal.SIGQUIT, signal.SIGKILL):
        for pid in running_on(cluster):
            report(f"stopping a leftover process of PostgreSQL (pid {pid})")
            _signal(pid, step)
            _signal(pid, signal.SIGCONT)  # a stopped process could not react
        _wait_until_gone(cluster, _QUIT_SECONDS)
    if left := running_on(cluster):
        raise Conflict(
            f"PostgreSQL (pid {left[0]}) still runs on {cluster} and cannot be stopped",
            code="postgres.orphan",
            cure=f"end it with 'kill {left[0]}', or restart the machine if it does not react",
        )
    (cluster / "postmaster.pid").unlink(missing_ok=True)


def running_on(cluster: Path) -> list[int]:
    """Every process of PostgreSQL whose working directory is this cluster, the master first (lowest pid)."""
    try:
        numbers = sorted(int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    except FileNotFoundError:  # no /proc: the master's pid file is all there is
        master = _pid_in(cluster / "postmaster.pid")
        numbers = [master] if master is not None else []
    return [pid for pid in numbers if _is_ours(pid, cluster)]


def _is_ours(pid: int, cluster: Path) -> bool:
    if pid == os.getpid() or pid == 1:
        return False
    proc = Path("/proc") / str(pid)
    if not Path("/proc/self").exists():
        return _is_ours_by_ps(pid, cluster)
    try:
        return (
            (proc / "comm").read_text().strip() == "postgres"
            and (proc / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
            and (proc / "cwd").samefile(cluster)
        )
    except OSError:  # gone meanwhile, or another user's and so not ours
        return False


def _is_ours_by_ps(pid: int, cluster: Path) -> bool:
    told = subprocess.run(
        ["ps", "-p", str(pid), "-o", "command="], capture_output=True, text=True, timeout=10, check=False
    )
    return "postgres" in told.stdout and f"-D {cluster}" in told.stdout


def _pid_in(pid_file: Path) -> int | None:
    try:
        first = pid_file.read_text().splitlines()[0]
    except (FileNotFoundError, IndexError):
        return None
    return int(first) if first.isdigit() else None


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def _wait_until_gone(cluster: Path, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while running_on(cluster) and time.monotonic() < deadline:
        time.sleep(0.02)
