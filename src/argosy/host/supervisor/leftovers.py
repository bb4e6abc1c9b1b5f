"""Ends what a killed supervisor left behind, before a new one starts.

The kernel has already signalled the children of a dead supervisor (see `prctl`); PostgreSQL may still be
finishing its fast shutdown, and outside Linux nobody told them. Called by `up`, `down` and `reset`, which hold the lock.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from argosy.host.supervisor.state import ProcessState, State
from argosy.kit.errors import Unavailable

GRACE_SECONDS = 30.0
_KILLED_SECONDS = 5.0


def end(state: State | None, say: Callable[[str], None]) -> list[str]:
    """The names of the processes that were still there and are gone now."""
    left = {name: p for name, p in (state.processes if state else {}).items() if p.is_alive()}
    if not left:
        return []
    say(f"ending what an earlier run left: {', '.join(f'{n} (pid {p.pid})' for n, p in left.items())}")
    for process in left.values():
        _send(process, process.stop_signal)
    if not _gone_within(left, GRACE_SECONDS):
        for process in left.values():
            _send(process, signal.SIGKILL)
        if not _gone_within(left, _KILLED_SECONDS):
            alive = [f"{name} (pid {p.pid})" for name, p in left.items() if p.is_alive()]
            raise Unavailable(
                f"processes of an earlier run do not end: {', '.join(alive)}",
                code="host.leftovers",
                cure="end them as the user who started them, then try again",
            )
    return list(left)


def _gone_within(processes: dict[str, ProcessState], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while any(process.is_alive() for process in processes.values()):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)  # not our children, so the kernel will not tell us
    return True


def _send(process: ProcessState, number: int) -> None:
    try:
        if process.is_alive():
            os.kill(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return  # ended meanwhile; or not ours, and then the deadline reports it
