"""What the supervisor is asked to keep running, as plain data.

`host.plan` makes the list for `argosy up`; `host.supervisor` starts it in order, watches it and stops it in
reverse. A forked process tells its progress through `Notify`; an external command is asked by its `probe`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass


class Notify:
    """The child's end of a pipe to the supervisor: lines of `READY`, `STATUS text`, `FATAL text`."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def ready(self) -> None:
        self._send("READY")

    def status(self, text: str) -> None:
        self._send(f"STATUS {text}")

    def fatal(self, text: str) -> None:
        """A restart will not help (bad settings, a port that is taken); `text` is the three-line message."""
        self._send(f"FATAL {text}")

    def _send(self, line: str) -> None:
        os.write(self._fd, line.replace("\n", "\x1f").encode() + b"\n")


@dataclass(frozen=True, slots=True)
class Forked:
    """Python, forked from the pre-imported parent: `main` runs in the child until SIGTERM and then returns."""

    name: str
    main: Callable[[Notify], None]
    after: tuple[str, ...] = ()
    grace_seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class Command:
    """An external program in the foreground. `prepare` runs before each start; `probe` answers "" when it is
    ready and otherwise says what it waits for (and is called from a helper process, so it may block)."""

    name: str
    prepare: Callable[[Callable[[str], None]], list[str]]
    probe: Callable[[], str]
    after: tuple[str, ...] = ()
    stop_signal: int = 15
    grace_seconds: float = 30.0
    uid: int | None = None
    gid: int | None = None


Process = Forked | Command
