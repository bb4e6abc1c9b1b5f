"""PostgreSQL for the length of one job, when no supervisor runs: backup, restore, the rehearsal of an upgrade.

If the installation's own server answers, that one is used and left running.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from argosy.host.paths import DataDir
from argosy.host.postgres.cluster import Report
from argosy.host.postgres.location import locate
from argosy.host.postgres.process import NAME, prepare, probe
from argosy.kit.errors import Unavailable

START_SECONDS = 600.0
"""Long, because it may have to recover from a crash; progress is reported meanwhile."""
_STOP_SECONDS = 60.0


@contextmanager
def temporarily_running(data: DataDir, report: Report) -> Iterator[None]:
    if locate(data).exists() and probe(data) == "":
        yield
        return
    arguments = prepare(data, report)
    owner = locate(data).owner
    log = os.open(data.logs / f"{NAME}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        server = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True,
            user=owner.user, group=owner.group, extra_groups=owner.extra_groups,
        )  # fmt: skip
    finally:
        os.close(log)
    try:
        _wait(server, data, report)
        yield
    finally:
        _stop(server)


def _wait(server: subprocess.Popen[bytes], data: DataDir, report: Report) -> None:
    deadline, said = time.monotonic() + START_SECONDS, ""
    while (waits_for := probe(data)) != "":
        if server.poll() is not None:
            raise Unavailable(
                f"PostgreSQL ended while starting: {_last_words(data)}",
                code="postgres.start",
                cure=f"look at {data.logs / f'{NAME}.log'}",
            )
        if time.monotonic() > deadline:
            raise Unavailable(
                f"PostgreSQL is not ready after {START_SECONDS:.0f} s: {waits_for}",
                code="postgres.start",
                cure=f"look at {data.logs / f'{NAME}.log'} and try again",
            )
        if waits_for != said and waits_for.startswith("recovering"):
            report(waits_for)
            said = waits_for
        time.sleep(0.02)


def _last_words(data: DataDir) -> str:
    lines = (data.logs / f"{NAME}.log").read_text(errors="replace").splitlines()
    fatal = [line for line in lines if "FATAL" in line or "PANIC" in line]
    return (fatal or lines or ["it said nothing"])[-1].partition("] ")[2] or "it said nothing"


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.send_signal(signal.SIGINT)
    try:
        server.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait(_STOP_SECONDS)
