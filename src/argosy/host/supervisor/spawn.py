"""Forks a child and makes it a clean process of its own: session, signals, descriptors, name, log, last will.

`supervisor` calls `forked`, `command` and `prober`. The parent is single-threaded, so a fork is safe; every
child ends in `os._exit`, so nothing of the parent's stack ever runs twice.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NoReturn

from argosy.host.processes import Command, Forked, Notify
from argosy.host.supervisor import prctl
from argosy.host.supervisor.failure import three_lines
from argosy.kit import log
from argosy.kit.errors import ArgosyError, DeadlineExceeded, NotFound, TooMany, Unavailable

PROBE_SECONDS = 10
_PASSING = (Unavailable, DeadlineExceeded, TooMany)


@dataclass(frozen=True, slots=True)
class Spawned:
    """A child, and the reading ends (non-blocking) of its two pipes."""

    pid: int
    notify: int
    log: int


def forked(process: Forked) -> Spawned:
    def body(notify: Notify) -> None:
        log.configure(service=process.name)
        process.main(notify)

    return _spawn(process.name, body, keep=process.keep_fds)


def command(process: Command) -> Spawned:
    parent = os.getpid()

    def body(notify: Notify) -> None:
        argv = process.prepare(notify.status)
        _become_user(process)
        prctl.die_with_parent(parent, process.stop_signal)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them; other programs count on them
            signal.signal(number, signal.SIG_DFL)
        try:
            os.execvp(argv[0], argv)
        except OSError as error:
            raise NotFound(
                f"{process.name}: cannot run {argv[0]}: {error.strerror}",
                code="host.command",
                cure="argosy doctor shows which programs are found and how to get the others",
            ) from error

    return _spawn(process.name, body)


def prober(process: Command) -> Spawned:
    """Asks the probe until it answers "", with a short back-off; then says READY and ends. A probe that hangs
    ends it by SIGALRM, and the supervisor starts another."""

    def body(notify: Notify) -> None:
        pause, last = 0.02, ""
        while True:
            signal.alarm(PROBE_SECONDS)
            waits_for = process.probe()
            signal.alarm(0)
            if not waits_for:
                return notify.ready()
            if waits_for != last:
                notify.status(waits_for)
                last = waits_for
            time.sleep(pause)
            pause = min(1.0, pause * 1.5)

    return _spawn(f"{process.name}-probe", body)


def _spawn(name: str, body: Callable[[Notify], None], *, keep: Iterable[int] = ()) -> Spawned:
    parent = os.getpid()
    notify_in, notify_out = os.pipe()
    log_in, log_out = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    # A signal for the child before its handlers are reset would be written to the parent's wake-up pipe.
    everything = signal.valid_signals()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, everything)
    try:
        pid = os.fork()
        if pid == 0:
            _child(name, parent, body, notify_out, log_out, mask, keep)
    except OSError:
        os.close(notify_in)
        os.close(log_in)
        raise
    finally:  # never in the child
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(notify_out)
        os.close(log_out)
    for fd in (notify_in, log_in):
        os.set_blocking(fd, False)
    return Spawned(pid, notify_in, log_in)


def _child(
    name: str,
    parent: int,
    body: Callable[[Notify], None],
    notify_fd: int,
    log_fd: int,
    mask: set[signal.Signals] | set[int],
    keep: Iterable[int],
) -> NoReturn:
    code = 1
    try:
        prctl.die_with_parent(parent, signal.SIGKILL)
        _reset_signals()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.setsid()
        prctl.set_name(f"argosy-{name}")
        _wire(log_fd)
        _close_all_but({0, 1, 2, notify_fd, *keep})
        code = _run(body, Notify(notify_fd))
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _run(body: Callable[[Notify], None], notify: Notify) -> int:
    """An error of ours that a restart cannot mend is fatal, until the process has once been ready."""
    try:
        body(notify)
    except ArgosyError as error:
        sys.stderr.write(three_lines(error) + "\n")
        if not notify.told_ready and not isinstance(error, _PASSING):
            notify.fatal(three_lines(error))
        return 1
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    return 0


def _reset_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)


def _wire(log_fd: int) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(log_fd, 1)
    os.dup2(log_fd, 2)
    # The parent's streams may be block-buffered, or redirected by whoever runs it.
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(  # noqa: SIM115
        2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )


def _close_all_but(keep: set[int]) -> None:
    open_now = [int(name) for name in os.listdir("/dev/fd")]
    for fd in open_now:
        if fd not in keep:
            # Not closerange: of an empty range at 0 it closes every descriptor (CPython 3.11).
            with contextlib.suppress(OSError):  # the one that listed the folder
                os.close(fd)


def _become_user(process: Command) -> None:
    if process.gid is not None:
        os.setgroups([])
        os.setgid(process.gid)
    if process.uid is not None:
        os.setuid(process.uid)
