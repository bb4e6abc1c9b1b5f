"""The living children: what they say is passed on, what they log is written, their end is noticed.

The hands of `supervisor`, which decides what each word and each end means. `spawn` has made the pipes.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from argosy.host.supervisor import messages
from argosy.host.supervisor.loop import Loop
from argosy.host.supervisor.slot import Run, Slot

_READ = 65536


class Children:
    def __init__(
        self,
        loop: Loop,
        *,
        on_message: Callable[[Slot, Run, messages.Message], None],
        on_executed: Callable[[Slot], None],
        on_end: Callable[[Slot, Run, int], None],
    ) -> None:
        """`on_executed`: an external program has taken the place of the child that prepared it.
        `on_end` gets the wait status, after everything the child has said."""
        self._loop = loop
        self._on_message = on_message
        self._on_executed = on_executed
        self._on_end = on_end
        self._living: dict[int, tuple[Slot, Run]] = {}
        self._ended: list[Run] = []

    def watch(self, slot: Slot, run: Run) -> None:
        self._living[run.pid] = (slot, run)
        self._loop.on_readable(run.notify, lambda: self._hear(slot, run))
        self._loop.on_readable(run.pump.fd, lambda: self._log(run))

    def reap(self) -> None:
        """All that have ended since the last time."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            known = self._living.pop(ended.si_pid, None)
            if known:
                kill_group(ended.si_pid)  # what it left behind; its pid cannot be another's before the wait
            _, status = os.waitpid(ended.si_pid, 0)
            if known:
                self._end(*known, status)

    def drain(self, seconds: float) -> None:
        """What children wrote last, and what their own children still write."""
        deadline = time.monotonic() + seconds
        while (self._ended or self._living) and time.monotonic() < deadline:
            self._loop.step(0.1)
        for run in self._ended:
            self._loop.forget(run.pump.fd)
            run.pump.close()

    def kill_all(self) -> None:
        """Only after a fault of our own is there anybody left. A program with data gets its own signal."""
        for pid, (slot, run) in self._living.items():
            if slot.external and run is slot.main:
                send(pid, slot.stop_signal)
            else:
                kill_group(pid)

    def _end(self, slot: Slot, run: Run, status: int) -> None:
        while run.notify_open:
            self._hear(slot, run)
        run.pump.drain()
        if run.pump.is_open:
            self._ended.append(run)
        self._on_end(slot, run, status)

    def _hear(self, slot: Slot, run: Run) -> None:
        """One helping of a child's words. A descendant may hold the pipe open; the child's end ends it."""
        try:
            data = os.read(run.notify, _READ)
        except BlockingIOError:
            if run.pid in self._living:
                return
            data = b""
        for line in run.lines.feed(data):
            self._on_message(slot, run, messages.parse(line))
        if data:
            return
        run.notify_open = False
        self._loop.forget(run.notify)
        os.close(run.notify)
        if slot.external and run is slot.main and run.pid in self._living:
            self._on_executed(slot)

    def _log(self, run: Run) -> None:
        if not run.pump.read():
            self._loop.forget(run.pump.fd)
            run.pump.close()
            if run in self._ended:
                self._ended.remove(run)


def kill_group(pid: int) -> None:
    """The process and what it started. A child that has not yet made its own group is met by the second call."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return  # its end is already on the way to us
