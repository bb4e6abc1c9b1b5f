"""What the supervisor is asked to keep running, as plain data.

`host.plan` makes the list for `argosy up`; `host.supervisor` starts it in order, watches it and stops it in
reverse. A forked process tells its progress through `Notify`; an external command is asked by its `probe`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

LINE_BREAK = "\x1f"  # stands for a newline inside one message


class Notify:
    """The child's end of a pipe to the supervisor: lines of `READY`, `STATUS text`, `FATAL text`,
    `ANNOUNCE {json}`."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.told_ready = False

    def ready(self) -> None:
        self._send("READY")
        self.told_ready = True

    def status(self, text: str) -> None:
        """What a start waits for, in words. It also shows that the start has not stalled."""
        self._send(f"STATUS {text}")

    def fatal(self, text: str) -> None:
        """A restart will not help (bad settings, a port that is taken); `text` is the three-line message."""
        self._send(f"FATAL {text}")

    def announce(self, facts: Mapping[str, str]) -> None:
        """What the operator must see once all is ready: `url`, `sign_in_link`, `email`, and until
        somebody has signed in `password`. Shown on the terminal, never written to a file. Call it before `ready`."""
        self._send(f"ANNOUNCE {json.dumps(dict(facts))}")

    def _send(self, line: str) -> None:
        rest = line.replace("\n", LINE_BREAK).encode() + b"\n"
        while rest:
            rest = rest[os.write(self._fd, rest) :]


@dataclass(frozen=True, slots=True)
class Forked:
    """Python, forked from the pre-imported parent: `main` runs in the child until SIGTERM and then returns.
    Of the parent's descriptors it keeps only `keep_fds` (the edge: the listening socket)."""

    name: str
    main: Callable[[Notify], None]
    after: tuple[str, ...] = ()
    grace_seconds: float = 10.0
    keep_fds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """An external program in the foreground. `prepare` runs before each start, in the very process that then
    becomes the program (as the supervisor's user; it may block, its argument takes progress in words), and
    answers the argument list. `probe` answers "" when the program is ready and otherwise says what it waits
    for; it runs in a helper process, so it may block for some seconds. Neither can hand values to the parent.
    `stop_signal` is also what the program gets when the supervisor itself dies."""

    name: str
    prepare: Callable[[Callable[[str], None]], list[str]]
    probe: Callable[[], str]
    after: tuple[str, ...] = ()
    stop_signal: int = 15
    grace_seconds: float = 30.0
    uid: int | None = None
    gid: int | None = None


Process = Forked | Command
