"""When a process that died is started again, and when the start is given up. Pure; `supervisor` acts on it."""

from __future__ import annotations

import os
import signal

FIRST_DELAY = 0.2
LONGEST_DELAY = 10.0
HEALTHY_AFTER = 60.0
TRIES_AT_START = 5
STALLED_AFTER = 120.0


def failures(before: int, ready_seconds: float) -> int:
    """Failures in a row, this one counted. A minute of health forgives all earlier ones."""
    return 1 if ready_seconds >= HEALTHY_AFTER else before + 1


def delay(failures_in_a_row: int) -> float:
    """0.2 s, doubled each time, never more than 10 s."""
    exponent = min(max(failures_in_a_row, 1) - 1, 16)
    return min(LONGEST_DELAY, FIRST_DELAY * float(2**exponent))


def gives_up(failures_in_a_row: int, *, ever_ready: bool) -> bool:
    """What has once been ready is restarted for ever; what never was would make the operator wait for ever."""
    return not ever_ready and failures_in_a_row >= TRIES_AT_START


def reason(wait_status: int) -> str:
    """A wait status in words."""
    code = os.waitstatus_to_exitcode(wait_status)
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def grace(seconds: float, *, external: bool, hurry: int) -> float:
    """How long a process may take to stop. The second Ctrl-C leaves a program with data five seconds and the
    rest none; the third leaves none to any."""
    if hurry == 0:
        return seconds
    return min(seconds, 5.0) if external and hurry == 1 else 0.0
