"""`argosy up --detach`: the supervisor becomes a daemon, and the command waits until it is ready or has failed.

The two talk over a pipe of JSON lines `[method of Report, arguments…]`. Only the supervisor holds the writing
end, so its end of file means that nothing runs any more. Called by `up`.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from argosy.host.lifecycle.failures import FAILED, OK
from argosy.host.supervisor.failure import three_lines
from argosy.host.supervisor.report import Report
from argosy.kit.errors import ArgosyError

Line = tuple[str, list[str | float | dict[str, str]]]


class PipeReport:
    """The daemon's side. Once the waiting command is gone there is nobody to tell, and while it is suspended
    it is not waited for: a line fits the pipe as a whole or is dropped."""

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd

    def note(self, text: str) -> None:
        self._send("note", text)

    def status(self, name: str, text: str) -> None:
        self._send("status", name, text)

    def ready(self, name: str, seconds: float) -> None:
        self._send("ready", name, seconds)

    def all_ready(self, facts: Mapping[str, str], seconds: float) -> None:
        self._send("all_ready", dict(facts), seconds)

    def failed(self, text: str) -> None:
        self._send("failed", text)

    def pid(self, pid: int) -> None:
        self._send("pid", float(pid))

    def _send(self, method: str, *arguments: str | float | dict[str, str]) -> None:
        line = msgspec.json.encode([method, arguments]) + b"\n"
        try:
            os.write(self._fd, line)
        except OSError:
            return


def start(
    supervise: Callable[[Report], int], *, log: Path, folder: Path, let_go: list[int], show: Report
) -> int:
    """`let_go` are descriptors (lock, listening socket) that belong to the daemon from now on."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os.setsid()
            if os.fork() == 0:
                _daemon(supervise, PipeReport(writing), log, folder)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writing)
    for fd in let_go:
        os.close(fd)
    os.waitpid(child, 0)
    return _wait(reading, log, show)


def _daemon(supervise: Callable[[Report], int], report: PipeReport, log: Path, folder: Path) -> None:
    code = FAILED
    try:
        os.chdir(folder)
        null = os.open(os.devnull, os.O_RDONLY)
        out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        for source, target in ((null, 0), (out, 1), (out, 2)):
            os.dup2(source, target)
        report.pid(os.getpid())
        code = supervise(report)
    except ArgosyError as error:
        report.failed(three_lines(error))
    except BaseException as error:
        traceback.print_exc()
        report.failed(
            f"error: the supervisor failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}\n"
            f"where: {log}\ndo: read the end of that file; this is a fault of Argosy, please report it"
        )
    finally:
        os._exit(code)


def _wait(reading: int, log: Path, show: Report) -> int:
    daemon, failure = 0, ""
    with os.fdopen(reading, "rb") as lines:
        while True:
            try:
                line = lines.readline()
                if not line:
                    break
                match msgspec.json.decode(line, type=Line):
                    case ("pid", [float(pid)]):
                        daemon = int(pid)
                    case ("all_ready", [dict(facts), float(seconds)]):
                        show.all_ready(facts, seconds)
                        return OK
                    case ("failed", [str(text)]):
                        failure = text  # shown when all has stopped
                    case ("ready", [str(name), float(seconds)]):
                        show.ready(name, seconds)
                    case ("status", [str(name), str(text)]):
                        show.status(name, text)
                    case ("note", [str(text)]):
                        show.note(text)
            except KeyboardInterrupt:
                failure = "error: interrupted while starting; everything is stopped again"
                if daemon:
                    os.kill(daemon, signal.SIGTERM)
    show.failed(
        failure or f"error: the supervisor ended while starting\nwhere: {log}\ndo: read the end of that file"
    )
    return FAILED
