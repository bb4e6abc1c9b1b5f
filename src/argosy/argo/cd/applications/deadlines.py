"""How long a sync may wait for one thing before it gives up: an annotation of the application, ours, because a hook that never ends
would otherwise hold the application for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from argosy.argo.cd.applications.durations import seconds
from argosy.argo.cd.applications.subject import Subject
from argosy.contracts.argo.operation import OperationState

WAVE_TIMEOUT = "argosy.io/wave-timeout"


class Deadlines:
    """Counts from when the engine first saw a sync wait for something; a restart begins anew."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._since: dict[str, tuple[str, datetime]] = {}

    def passed(self, subject: Subject, state: OperationState) -> str:
        """Why it is ended; empty: it may go on."""
        left = self.left(subject, state)
        if left is None or left > 0:
            return ""
        allowed = (subject.app.metadata.get("annotations") or {}).get(WAVE_TIMEOUT, "")
        return f"gave up after {allowed} ({WAVE_TIMEOUT}) of {state.message}"

    def left(self, subject: Subject, state: OperationState) -> float | None:
        allowed = (subject.app.metadata.get("annotations") or {}).get(WAVE_TIMEOUT)
        if not allowed or state.phase != "Running":
            return None
        try:
            total = seconds(str(allowed))
        except ValueError:
            return None
        waits_for = f"{state.started_at} {state.message}"
        known = self._since.get(subject.instance)
        if known is None or known[0] != waits_for:
            known = self._since[subject.instance] = (waits_for, self._now())
        return total - (self._now() - known[1]).total_seconds()

    def forget(self, subject: Subject) -> None:
        self._since.pop(subject.instance, None)
