"""Programs that run for as long as a `with` lasts, in a folder that goes with them.

The oracles start theirs through it (`oracle_cluster`, `argo_oracle`). A keeper process ends what was started when this process is
gone, however it went.
"""

from __future__ import annotations

import contextlib
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from tools.steps import Stop

LOOPBACK = "127.0.0.1"
_PORTS = range(18_000, 32_000)


class Keeper:
    """Ends the programs and removes their folder when its pipe closes: at the end of `with`, or because we died."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _KEEP, str(self.folder)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        return self

    def start(
        self, name: str, command: Sequence[str | Path], environment: Mapping[str, str] | None = None
    ) -> int:
        """Its process id. What it says stands in `<name>.log`."""
        with self.log(name).open("wb") as log:
            self._started[name] = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=None if environment is None else {**os.environ, **environment},
                start_new_session=True,
            )
        pid = self._started[name].pid
        self._tell(str(pid))
        return pid

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def check(self) -> None:
        for name, process in self._started.items():
            if process.poll() is not None:
                log = self.log(name).read_text(errors="replace").splitlines()
                raise Stop(
                    "\n".join(
                        [*log[-12:], f"the oracle's {name} ended with {process.returncode}; its log is above"]
                    )
                )

    def until(self, ready: Callable[[], bool], what: str, deadline: float = 120) -> None:
        """Asks again and again: programs of others tell nobody when they are ready."""
        until = time.monotonic() + deadline
        while not ready():
            self.check()
            if time.monotonic() > until:
                raise Stop(f"the oracle is not ready after {deadline:.0f} s: {what}")
            time.sleep(0.05)

    def __exit__(self, *_: object) -> None:
        """At once: nobody will read their data again, and a graceful end takes ten seconds."""
        for process in self._started.values():
            process.kill()
        for process in self._started.values():
            process.wait()
        self._tell("ended")
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()


# Runs apart and imports little: it must survive whatever ends its parent.
_KEEP = """
import os, shutil, signal, sys
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(one, signal.SIG_IGN)
told = sys.stdin.read().split()
if told[-1:] != ["ended"]:
    for pid in told:
        try:
            os.killpg(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


def free_ports(count: int) -> list[int]:
    """Below those that the kernel gives to connections: some programs take theirs seconds later."""
    found: list[int] = []
    with contextlib.ExitStack() as stack:
        for port in random.sample(_PORTS, len(_PORTS)):
            one = stack.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                one.bind((LOOPBACK, port))
                found.append(port)
            if len(found) == count:
                return found
    raise Stop("no free ports on this machine")


def listens(port: int) -> bool:
    with socket.socket() as one:
        one.settimeout(1)
        return one.connect_ex((LOOPBACK, port)) == 0
