"""`argosy status`: what runs, since when, how much memory it takes. Works too when the supervisor was killed."""

from __future__ import annotations

import sys
from datetime import datetime

import msgspec

from argosy.host.lifecycle import readiness
from argosy.host.lifecycle.failures import NOT_RUNNING, OK
from argosy.host.paths import DataDir
from argosy.host.supervisor import control, lock, procfs, state
from argosy.kit import clock
from argosy.kit.errors import Unavailable


class Process(msgspec.Struct, frozen=True):
    name: str
    state: str
    pid: int
    pss_bytes: int
    restarts: int
    uptime_seconds: int
    waiting_for: str


class Status(msgspec.Struct, frozen=True):
    running: bool
    url: str
    version: str
    pid: int
    uptime_seconds: int
    pss_bytes: int
    data_dir: str
    processes: list[Process]
    services: list[readiness.Readiness] = []
    listens: str = ""


def run(data: DataDir, *, as_json: bool) -> int:
    found = gather(data)
    if as_json:
        sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
    else:
        sys.stdout.write(text(found))
    return OK if found.running else NOT_RUNNING


def gather(data: DataDir) -> Status:
    running = not lock.is_free(data.lock)
    known = _known(data, running=running)
    if known is None:
        return Status(running, "", "", 0, 0, 0, str(data.root), [])
    processes = [
        _process(name, process)
        for name, process in known.processes.items()
        if running or process.is_alive()  # without a supervisor only leftovers count
    ]
    own = procfs.pss_bytes(known.pid) if running else 0
    return Status(
        running=running,
        url=known.url if running else "",
        version=known.version,
        pid=known.pid if running else 0,
        uptime_seconds=_seconds_since(known.since) if running else 0,
        pss_bytes=own + sum(process.pss_bytes for process in processes),
        data_dir=str(data.root),
        processes=processes,
        services=readiness.of_services(data) if running else [],
        listens=known.listens if running else "",
    )


def _known(data: DataDir, *, running: bool) -> state.State | None:
    if running:
        try:
            return control.ask(data.socket(control.NAME))
        except Unavailable:  # just starting or just ending
            pass
    return state.read(data.state)


def _process(name: str, process: state.ProcessState) -> Process:
    members = procfs.family(process.pid) if process.pid else []
    return Process(
        name=name,
        state=process.state,
        pid=process.pid,
        pss_bytes=sum(procfs.pss_bytes(pid) for pid in members),
        restarts=process.restarts,
        uptime_seconds=_seconds_since(process.since),
        waiting_for=process.waiting_for,
    )


def text(found: Status) -> str:
    if not found.running:
        lines = [f"Argosy is not running ({found.data_dir})"]
        if found.processes:
            names = ", ".join(f"{p.name} (pid {p.pid})" for p in found.processes)
            lines.append(
                f"Its supervisor was killed; left over: {names}. 'argosy down' or 'argosy up' ends them."
            )
        return "\n".join(lines) + "\n"
    lines = [
        f"Argosy {found.version} runs at {found.url or '(starting)'}"
        + (f" and listens on {found.listens}" if found.listens else ""),
        f"for {duration(found.uptime_seconds)}, supervisor pid {found.pid}, data in {found.data_dir}",
        "",
        f"{'PROCESS':<12} {'STATE':<12} {'PID':>8} {'MEMORY':>9} {'RESTARTS':>8} {'FOR':>9}  WAITING FOR",
    ]
    lines += [
        f"{p.name:<12} {p.state:<12} {p.pid or '-':>8} {megabytes(p.pss_bytes):>9} {p.restarts:>8} "
        f"{duration(p.uptime_seconds):>9}  {p.waiting_for}".rstrip()
        for p in found.processes
    ]
    lines.append(f"{'all':<25} {'':>8} {megabytes(found.pss_bytes):>9}  (with the supervisor)".rstrip())
    lines += _degraded(found)
    return "\n".join(lines) + "\n"


def _degraded(found: Status) -> list[str]:
    """Only those whose process is well: why the others do not answer stands in the table."""
    well = {process.name for process in found.processes if process.state == "ready"}
    waiting = [one for one in found.services if not one.ready and one.process in well]
    return ["", *(f"{one.name} is degraded: {one.waiting_for}" for one in waiting)] if waiting else []


def duration(seconds: int) -> str:
    """Two units at most: `3 d 4 h`, `5 min`, `12 s`."""
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{seconds} s"


def megabytes(size: int) -> str:
    return f"{size / 2**20:.1f} MB" if size else "-"


def _seconds_since(iso: str) -> int:
    return max(0, int((clock.now() - datetime.fromisoformat(iso)).total_seconds()))
