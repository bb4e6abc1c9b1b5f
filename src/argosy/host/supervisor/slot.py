"""One process of the plan and what has become of it: the supervisor's whole memory about it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal

from argosy.host.processes import Command, Process
from argosy.host.supervisor import procfs
from argosy.host.supervisor.logs import LogFile, Pump
from argosy.host.supervisor.messages import Lines
from argosy.host.supervisor.spawn import Spawned
from argosy.host.supervisor.state import ProcessState
from argosy.kit import clock

Phase = Literal["waiting", "starting", "ready", "backing off", "stopping", "stopped"]


@dataclass
class Run:
    """One living child: the process itself, or the prober of an external one."""

    pid: int
    notify: int
    pump: Pump
    is_prober: bool
    lines: Lines = field(default_factory=Lines)
    notify_open: bool = True


@dataclass
class Slot:
    process: Process
    log: LogFile
    phase: Phase = "waiting"
    since: str = field(default_factory=lambda: clock.iso(clock.now()))
    entered: float = field(default_factory=time.monotonic)
    """When this phase began; also moved by each word of progress, so that a stall is seen."""
    started: float = 0.0
    ever_ready: bool = False
    starts: int = 0
    failures: int = 0
    waiting_for: str = ""
    main: Run | None = None
    mark: str = ""
    prober: Run | None = None

    def enter(self, phase: Phase, waiting_for: str = "") -> None:
        self.phase = phase
        self.waiting_for = waiting_for
        self.since = clock.iso(clock.now())
        self.entered = time.monotonic()

    def begin(self, spawned: Spawned) -> Run:
        self.main = Run(spawned.pid, spawned.notify, Pump(spawned.log, self.log), is_prober=False)
        self.mark = procfs.start_mark(spawned.pid)
        self.starts += 1
        self.started = time.monotonic()
        self.enter("starting")
        return self.main

    def begin_probing(self, spawned: Spawned) -> Run:
        self.prober = Run(spawned.pid, spawned.notify, Pump(spawned.log, self.log), is_prober=True)
        return self.prober

    @property
    def runs(self) -> list[Run]:
        return [run for run in (self.main, self.prober) if run is not None]

    @property
    def external(self) -> bool:
        return isinstance(self.process, Command)

    @property
    def stop_signal(self) -> int:
        return self.process.stop_signal if isinstance(self.process, Command) else 15

    def state(self) -> ProcessState:
        return ProcessState(
            pid=self.main.pid if self.main else 0,
            mark=self.mark if self.main else "",
            state=self.phase,
            restarts=max(0, self.starts - 1),
            since=self.since,
            stop_signal=self.stop_signal,
            waiting_for=self.waiting_for,
        )
