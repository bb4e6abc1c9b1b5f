"""What the kernel tells about processes: is it still the same one, its memory, its descendants, who has a port.

Read by `state`, `leftovers` and `argosy status`. Where there is no /proc, `ps` answers the first question and
the others have no answer.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")
_LISTEN = "0A"


def start_mark(pid: int) -> str:
    """A text that differs between two processes that had the same pid; "" when there is none (or a zombie)."""
    if _PROC.joinpath("self").exists():
        fields = _stat(pid)
        return "" if not fields or fields[0] in ("Z", "X") else fields[19]
    answer = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, timeout=5, check=False
    )
    return answer.stdout.strip()


def is_same(pid: int, mark: str) -> bool:
    return pid > 0 and bool(mark) and start_mark(pid) == mark


def command_name(pid: int) -> str:
    try:
        return _PROC.joinpath(str(pid), "comm").read_text().strip()
    except OSError:
        return ""


def pss_bytes(pid: int) -> int:
    """Proportional memory: pages shared by n processes count 1/n. 0 when the kernel does not tell us."""
    try:
        for line in _PROC.joinpath(str(pid), "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        return 0
    return 0


def family(pid: int) -> list[int]:
    """The process and all its living descendants (PostgreSQL: the postmaster and its backends)."""
    children: dict[int, list[int]] = {}
    for other in _pids():
        if fields := _stat(other):
            children.setdefault(int(fields[1]), []).append(other)
    found = [pid]
    for member in found:
        found.extend(children.get(member, ()))
    return found


def port_holder(port: int) -> str:
    """`name (pid 123)` of the process that listens on a TCP port, or "" when /proc does not tell."""
    sockets = {f"socket:[{inode}]" for inode in _listening(port)}
    for pid in _pids() if sockets else ():
        try:
            held = any(str(entry.readlink()) in sockets for entry in _PROC.joinpath(str(pid), "fd").iterdir())
        except OSError:  # it ended meanwhile, or belongs to somebody else
            continue
        if held:
            return f"{command_name(pid)} (pid {pid})"
    return ""


def _listening(port: int) -> Iterator[str]:
    for table in ("tcp", "tcp6"):
        try:
            rows = _PROC.joinpath("net", table).read_text().splitlines()[1:]
        except OSError:
            continue
        for row in rows:
            columns = row.split()
            if columns[3] == _LISTEN and int(columns[1].rpartition(":")[2], 16) == port:
                yield columns[9]


def _pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir(_PROC) if name.isdigit()]
    except OSError:
        return []


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third on (state, parent, …); the second may hold anything."""
    try:
        return _PROC.joinpath(str(pid), "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
