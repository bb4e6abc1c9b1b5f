"""`argosy down`: stop everything and wait until it has stopped. Also clears what a killed supervisor left."""

from __future__ import annotations

import sys
import time

from argosy.host.lifecycle.failures import OK, not_running
from argosy.host.paths import DataDir
from argosy.host.supervisor import control, leftovers, lock, state
from argosy.kit.errors import DeadlineExceeded, Unavailable

_SILENCE_SECONDS = 90.0  # longer than any process's grace
_PATIENCE_SECONDS = 20.0  # for a supervisor that is still importing


def run(data: DataDir) -> int:
    stop(data)
    _say("Argosy is stopped")
    return OK


def stop(data: DataDir) -> None:
    """Afterwards nothing of this installation runs; raises `not_running` when nothing did."""
    if lock.is_free(data.lock):
        if not leftovers.end(state.read(data.state), _say):
            raise not_running(data.root)
        data.state.unlink(missing_ok=True)
        return
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not lock.is_free(data.lock):
        try:
            control.stop(data.socket(control.NAME), _say, timeout=_SILENCE_SECONDS)
            deadline = time.monotonic() + _PATIENCE_SECONDS
        except Unavailable as error:  # no socket yet, or no more: it is just starting or just ending
            if time.monotonic() > deadline:
                raise DeadlineExceeded(
                    f"the supervisor holds its lock but cannot be asked to stop: {error.message}",
                    code="host.down",
                    cure="see logs/supervisor.log there; 'argosy status' shows what still runs",
                    context={"where": str(data.root)},
                ) from error
        time.sleep(0.05)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
