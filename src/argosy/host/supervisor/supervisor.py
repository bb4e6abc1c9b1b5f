"""The story of one run: start in order, watch, restart what dies, stop in reverse.

`lifecycle.up` makes one and calls `run`. Decisions are in `order` and `restarts`, the work with children in
`spawn` and `children`, what is known about each in `slot`. Every callback leaves the slots consistent and ends
in `_advance`, which starts or stops whatever may be started or stopped now.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence

import argosy
from argosy.host.paths import DataDir
from argosy.host.processes import Command, Forked, Process
from argosy.host.supervisor import control, messages, order, procfs, restarts, spawn, state
from argosy.host.supervisor.children import Children, kill_group, send
from argosy.host.supervisor.logs import LogFile
from argosy.host.supervisor.loop import Loop
from argosy.host.supervisor.report import Report
from argosy.host.supervisor.slot import Run, Slot
from argosy.kit import clock
from argosy.kit.log import get_logger

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_DRAIN_SECONDS = 1.0
log = get_logger(__name__)


class Supervisor:
    def __init__(
        self,
        data: DataDir,
        processes: Sequence[Process],
        *,
        url: str,
        listens: str = "",
        report: Report,
        preimport: Callable[[], None] = lambda: None,
        release_fds: Sequence[int] = (),
    ) -> None:
        """`preimport` is called once before the first fork, while the first external program is starting.
        `release_fds` (the listening socket) are closed when stopping begins, so that nobody queues in vain."""
        order.check(processes)
        self._data = data
        self._processes = processes
        self._report = report
        self._url, self._listens = url, listens
        self._preimport: Callable[[], None] | None = preimport
        self._release_fds = list(release_fds)
        self._slots = {p.name: Slot(p, LogFile(data.logs / f"{p.name}.log")) for p in processes}
        self._facts: dict[str, str] = {}
        self._born = time.monotonic()
        self._since = clock.iso(clock.now())
        self._mark = procfs.start_mark(os.getpid())
        self._announced = False
        self._stopping = False
        self._hurry = 0
        self._fault = ""
        self._loop = Loop()
        self._children = Children(
            self._loop, on_message=self._on_message, on_executed=self._probe, on_end=self._on_end
        )
        self._control: control.Control | None = None

    def run(self) -> int:
        """The exit code: 0 after a wanted stop, 1 after a fatal error."""
        self._loop.on_signals((*_STOP_SIGNALS, signal.SIGCHLD), self._on_signal)
        self._control = control.Control(
            self._data.socket(control.NAME), self._loop, state=self.state, stop=self.stop
        )
        try:
            self._advance()
            self._import_once()
            while not (self._stopping and all(slot.phase == "stopped" for slot in self._slots.values())):
                self._loop.step()
            self._children.drain(_DRAIN_SECONDS)
        finally:
            self._children.kill_all()
            self._control.close()
            self._loop.close()
            for slot in self._slots.values():
                slot.log.close()
            self._data.state.unlink(missing_ok=True)
        log.info("stopped", fault=self._fault)
        if self._fault:
            self._report.failed(self._fault)
        return 1 if self._fault else 0

    def state(self) -> state.State:
        return state.State(
            pid=os.getpid(),
            mark=self._mark,
            url=self._url,
            listens=self._listens,
            version=argosy.__version__,
            since=self._since,
            data_dir=str(self._data.root),
            processes={name: slot.state() for name, slot in self._slots.items()},
        )

    def stop(self, fault: str = "") -> None:
        """Asked again, it hurries (see `restarts.grace`)."""
        if self._stopping:
            self._hurry += 0 if fault else 1
            for slot in self._slots.values():
                if slot.phase == "stopping":
                    self._arm_kill(slot)
        else:
            self._stopping = True
            self._fault = fault
            log.info("stopping", fault=fault)
            for fd in self._release_fds:
                os.close(fd)
        self._advance()

    def _on_signal(self, number: int) -> None:
        if number == signal.SIGCHLD:
            self._children.reap()
            self._advance()
        else:
            log.info("asked to stop", signal=signal.Signals(number).name)
            self.stop()

    def _on_end(self, slot: Slot, run: Run, status: int) -> None:
        reason = restarts.reason(status)
        if run is slot.prober:
            self._on_prober_end(slot, status, reason)
            return
        slot.main = None
        if slot.prober:
            send(slot.prober.pid, signal.SIGKILL)
        if self._stopping:
            self._on_stopped(slot, reason)
        else:
            self._on_crash(slot, reason, run.pump.last_line)

    def _on_prober_end(self, slot: Slot, status: int, reason: str) -> None:
        slot.prober = None
        if slot.phase == "starting" and slot.main is not None:
            if status:
                self._waits_for(slot, f"its check ended ({reason}); trying again")
            self._loop.after(restarts.FIRST_DELAY, lambda: self._probe(slot))

    def _on_stopped(self, slot: Slot, reason: str) -> None:
        slot.enter("stopped")
        log.info("process stopped", name=slot.process.name, reason=reason)
        self._tell(f"{slot.process.name} stopped")

    def _on_crash(self, slot: Slot, reason: str, last_line: str) -> None:
        name, was_ready = slot.process.name, slot.phase == "ready"
        slot.failures = restarts.failures(
            slot.failures, time.monotonic() - slot.entered if was_ready else 0.0
        )
        if restarts.gives_up(slot.failures, ever_ready=slot.ever_ready):
            last = f": {last_line}" if last_line else ""
            self.stop(
                f"error: {name} does not start ({restarts.TRIES_AT_START} tries): {reason}{last}\n"
                f"where: {slot.log.path}\n"
                "do: read the end of that file; 'argosy doctor' checks what this machine lacks"
            )
            return
        pause = restarts.delay(slot.failures)
        slot.enter("backing off", f"{reason}; starting again in {pause:g} s")
        log.warning("process ended unasked", name=name, reason=reason, restart_in=pause, last=last_line)
        self._report.note(f"{name} ended ({reason}); starting again in {pause:g} s")
        self._loop.after(pause, lambda: self._back_off_over(slot))

    def _back_off_over(self, slot: Slot) -> None:
        if slot.phase == "backing off":
            slot.enter("waiting")
            self._advance()

    def _on_message(self, slot: Slot, run: Run, message: messages.Message) -> None:
        match message:
            case messages.Ready() if slot.phase == "starting" and run in slot.runs:
                self._on_ready(slot)
            case messages.Status(text) if slot.phase == "starting":
                self._waits_for(slot, text)
            case messages.Announcement(facts):
                self._facts.update(facts)
            case messages.Fatal(text):
                log.error("fatal", name=slot.process.name, text=text)
                self.stop(text)
            case messages.Garbled(line):
                log.error("a process said what nobody understands", name=slot.process.name, line=line)
            case _:
                pass  # READY twice, or progress after it: harmless

    def _waits_for(self, slot: Slot, text: str) -> None:
        slot.waiting_for = text
        slot.entered = time.monotonic()
        self._report.status(slot.process.name, text)
        self._save()

    def _on_ready(self, slot: Slot) -> None:
        slot.enter("ready")
        slot.ever_ready = True
        seconds = time.monotonic() - slot.started
        log.info(
            "process ready",
            name=slot.process.name,
            seconds=round(seconds, 3),
            pid=slot.main and slot.main.pid,
        )
        self._report.ready(slot.process.name, seconds)
        self._advance()

    def _advance(self) -> None:
        if self._stopping:
            self._stop_next()
        else:
            self._start_next()
        self._save()

    def _start_next(self) -> None:
        ready = {name for name, slot in self._slots.items() if slot.phase == "ready"}
        idle = {name for name, slot in self._slots.items() if slot.phase == "waiting"}
        for name in order.startable(self._processes, idle=idle, ready=ready):
            self._start(self._slots[name])
        for slot in self._slots.values():
            if slot.phase == "waiting":
                slot.waiting_for = ", ".join(order.missing(slot.process, ready=ready))
        if len(ready) == len(self._slots) and not self._announced:
            self._announced = True
            where = {"url": self._url} | ({"listens": self._listens} if self._listens else {})
            facts, self._facts = {**where, **self._facts}, {}
            self._report.all_ready(facts, time.monotonic() - self._born)

    def _start(self, slot: Slot) -> None:
        self._report.status(slot.process.name, "starting")
        try:
            match slot.process:
                case Forked() as process:
                    self._import_once()
                    self._children.watch(slot, slot.begin(spawn.forked(process)))
                    self._watch_for_stall(slot, slot.starts)
                case Command() as process:
                    self._children.watch(slot, slot.begin(spawn.command(process)))
        except OSError as error:  # no more processes or descriptors, for now
            self._on_crash(slot, f"cannot be started: {error.strerror or error}", "")

    def _import_once(self) -> None:
        work, self._preimport = self._preimport, None
        if work:
            work()

    def _probe(self, slot: Slot) -> None:
        if (
            isinstance(slot.process, Command)
            and slot.phase == "starting"
            and slot.main is not None
            and not slot.main.notify_open
            and slot.prober is None
        ):
            try:
                self._children.watch(slot, slot.begin_probing(spawn.prober(slot.process)))
            except OSError as error:
                self._waits_for(slot, f"its check cannot be started: {error.strerror or error}")
                self._loop.after(1.0, lambda: self._probe(slot))

    def _watch_for_stall(self, slot: Slot, start: int) -> None:
        """A forked process that starts without a word for two minutes is ended, and so counted as failed."""
        if slot.phase != "starting" or slot.starts != start or slot.main is None:
            return
        silent = time.monotonic() - slot.entered
        if silent >= restarts.STALLED_AFTER:
            log.error("start stalled", name=slot.process.name, waiting_for=slot.waiting_for)
            kill_group(slot.main.pid)
        else:
            self._loop.after(restarts.STALLED_AFTER - silent, lambda: self._watch_for_stall(slot, start))

    def _stop_next(self) -> None:
        for slot in self._slots.values():
            if slot.main is None and slot.phase != "stopped":
                slot.enter("stopped")
        alive = {name for name, slot in self._slots.items() if slot.main is not None}
        for name in order.stoppable(self._processes, alive=alive):
            slot = self._slots[name]
            if slot.phase != "stopping" and slot.main is not None:
                slot.enter("stopping")
                self._tell(f"stopping {name}")
                send(slot.main.pid, slot.stop_signal)
                self._arm_kill(slot)

    def _arm_kill(self, slot: Slot) -> None:
        run = slot.main

        def kill() -> None:
            if run is not None and slot.main is run:
                log.warning("killed: did not stop in time", name=slot.process.name)
                kill_group(run.pid)

        seconds = restarts.grace(slot.process.grace_seconds, external=slot.external, hurry=self._hurry)
        self._loop.after(seconds, kill)

    def _tell(self, text: str) -> None:
        self._report.note(text)
        if self._control:
            self._control.tell(text)

    def _save(self) -> None:
        try:
            state.write(self._data.state, self.state())
        except OSError as error:  # a full disk must not end what runs; the control socket still answers
            log.error("cannot write the state file", error=str(error))
