"""A platform of three tiny processes under the real supervisor and the real verbs, and a handle on it for tests.

Run as a program it is `argosy` with a toy plan (`TOY_PLAN` names which); imported it offers `Platform`.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import msgspec

from argosy.host.lifecycle import down, status
from argosy.host.options import UpOptions
from argosy.host.paths import DataDir
from argosy.host.processes import Command, Forked, Notify, Process
from argosy.host.supervisor import lock, spawn

PASSWORD = "correct-horse-battery"
_DEADLINE = 50.0


class Platform:
    """One data directory, and the processes that were seen there."""

    def __init__(self, root: Path, plan: str = "plain") -> None:
        self.data = DataDir(root)
        self.plan = plan

    def run(self, *arguments: str, plan: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._command(*arguments),
            env=self._environment(plan),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def up(self, *arguments: str, plan: str = "") -> Foreground:
        return Foreground(self._command("up", "--port", "0", *arguments), self._environment(plan))

    def status(self) -> dict[str, Any]:
        """As `argosy status --output json`, without the time that a program takes to start."""
        return json.loads(msgspec.json.encode(status.gather(self.data)))

    def stop(self) -> None:
        if not lock.is_free(self.data.lock):
            down.stop(self.data)

    def pids(self) -> dict[str, int]:
        return {process["name"]: process["pid"] for process in self.status()["processes"]}

    def log(self, name: str) -> str:
        return (self.data.logs / f"{name}.log").read_text()

    def database_ended_well(self) -> bool:
        """By its own stop signal, with time to finish."""
        return (self.data.root / "database-has-ended-well").exists()

    def _command(self, *arguments: str) -> list[str]:
        return [sys.executable, __file__, *arguments, "--data-dir", str(self.data.root)]

    def _environment(self, plan: str) -> dict[str, str]:
        return {**os.environ, "TOY_PLAN": plan or self.plan}


class Foreground:
    """`argosy up` without --detach: its lines arrive one by one."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        self._partial = b""
        self.lines: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()

    @property
    def pid(self) -> int:
        return self._process.pid

    def until(self, words: str) -> str:
        """The first new line that holds the words."""
        assert self._process.stdout is not None
        deadline = time.monotonic() + _DEADLINE
        fd = self._process.stdout.fileno()
        while time.monotonic() < deadline:
            while b"\n" in self._partial:
                line, _, self._partial = self._partial.partition(b"\n")
                self.lines.append(line.decode())
                if words in self.lines[-1]:
                    return self.lines[-1]
            if select.select([fd], [], [], deadline - time.monotonic())[0]:
                data = os.read(fd, 65536)
                if not data:
                    break
                self._partial += data
        raise AssertionError(f"never said {words!r}: {self.lines} {self._partial!r}")

    def ready(self) -> Self:
        self.until("Ready after")
        self.until("Ctrl-C")
        return self

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def end(self) -> tuple[int, str]:
        """The exit code and what it said on stderr, once it has ended by itself."""
        out, err = self._process.communicate(timeout=_DEADLINE)
        self.lines += (self._partial + out).decode().splitlines()
        return self._process.returncode, err.decode()


def is_gone(pid: int, seconds: float = 5.0) -> bool:
    """Waits for the end of a process that is not our child."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], seconds)[0])
    finally:
        os.close(fd)


# What runs inside the toy


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _until_told(notify: Notify, then: Callable[[], None] = lambda: None) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    notify.ready()
    signal.sigwait({signal.SIGTERM})
    then()


def _core(notify: Notify) -> None:
    notify.announce({"sign_in_link": "http://toy/s", "email": "admin@toy", "password": PASSWORD})
    _say(f"descriptors {sorted(int(fd) for fd in os.listdir('/proc/self/fd'))}")
    _until_told(notify)


def _edge(notify: Notify, listen_fd: int) -> None:
    """Answers each connection with its pid."""
    server = socket.socket(fileno=listen_fd)
    server.setblocking(True)
    notify.ready()
    while True:
        client, _ = server.accept()
        with client:
            client.sendall(str(os.getpid()).encode())


def _chatty(notify: Notify) -> None:
    _until_told(notify, lambda: _say("\n".join(f"last words {n}" for n in range(20_000))))


def _crashing(_: Notify) -> None:
    raise RuntimeError("the toy is broken")


def _fatal(notify: Notify) -> None:
    notify.fatal("error: the toy has bad settings\nwhere: toy.yaml line 3\ndo: correct it")
    signal.pause()


def _stubborn(notify: Notify) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    notify.ready()
    while True:
        signal.pause()


def _with_helper(notify: Notify) -> None:
    helper = subprocess.Popen(["sleep", "600"])
    _say(f"helper {helper.pid}")
    _until_told(notify)


_MAINS = {
    "chatty": _chatty,
    "crashing": _crashing,
    "fatal": _fatal,
    "stubborn": _stubborn,
    "with_helper": _with_helper,
}


def _database(data: DataDir) -> Command:
    """A program that takes a moment to be ready, and notes how it was told to end."""
    mark, ended = data.root / "database-is-up", data.root / "database-has-ended-well"

    def prepare(report: Callable[[str], None]) -> list[str]:
        for file in (mark, ended):
            file.unlink(missing_ok=True)
        report("recovering")
        # Not to stdout: that pipe breaks when the supervisor is killed.
        script = f"trap 'touch {ended}; rm {mark}; exit 0' INT; touch {mark}; while :; do sleep 0.05; done"
        return ["sh", "-c", script]

    return Command("db", prepare, lambda: _probe(mark), stop_signal=signal.SIGINT)


def _probe(mark: Path) -> str:
    asked = mark.with_name("asked-before")
    if os.environ["TOY_PLAN"] == "hanging_probe" and not asked.exists():
        asked.touch()
        signal.pause()
    return "" if mark.exists() else "no answer yet"


def build_plan(data: DataDir, options: UpOptions, announce: Callable[[str], None]) -> list[Process]:
    announce("planning")
    spawn.PROBE_SECONDS = 2
    name = os.environ["TOY_PLAN"]
    if name == "broken_plan":
        raise KeyError("broken")
    if name == "missing_program":
        return [Command("db", lambda _: ["/nowhere/postgres"], lambda: "not yet")]
    middle = _MAINS.get(name, _core)
    fd = options.listen_fd
    return [
        _database(data),
        Forked("core", middle, after=("db",), grace_seconds=600.0 if name == "stubborn" else 5.0),
        Forked("edge", lambda notify: _edge(notify, fd), after=("core",), keep_fds=(fd,)),
    ]


if __name__ == "__main__":
    from argosy.host.__main__ import main

    toy = SimpleNamespace(PREIMPORT=("json",), build_plan=build_plan)
    sys.exit(main(load=lambda: toy))  # type: ignore[arg-type, return-value]
