"""What the supervisor tells the person who waits. `lifecycle.terminal` shows it, `lifecycle.detach` passes it on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Report(Protocol):
    def note(self, text: str) -> None:
        """Something worth a line: a restart, a stop."""

    def status(self, name: str, text: str) -> None:
        """What a process that is starting waits for."""

    def ready(self, name: str, seconds: float) -> None:
        """A process has started."""

    def all_ready(self, facts: Mapping[str, str], seconds: float) -> None:
        """Everything has started for the first time; `facts` hold secrets: terminal only."""

    def failed(self, text: str) -> None:
        """All is stopped again, because of this three-line message."""
