"""Moves a whole database through pg_dump and pg_restore, as a stream that is never a file in between.

The password goes through the environment, which only this user can read; the argument list is for everybody.
A program that moves nothing for ten minutes is ended: a lock or a dead disk should say so, not hang.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO

from argosy.host.paths import DataDir
from argosy.host.postgres.binaries import find_binaries
from argosy.host.postgres.location import PORT, locate
from argosy.host.postgres.passwords import ADMIN, password
from argosy.host.postgres.roles import DATABASE
from argosy.kit.errors import Conflict, DeadlineExceeded

STALL_SECONDS = 600.0
_CHUNK = 1024 * 1024


def dumped(data: DataDir, snapshot: str = "") -> Iterator[bytes]:
    """The database in pg_dump's own compressed form, all of it from one snapshot: that one, or its own."""
    arguments = [find_binaries()["pg_dump"], "--format=custom", "--compress=gzip:4", "--no-password",
                 "--lock-wait-timeout=60s", *([f"--snapshot={snapshot}"] if snapshot else [])]  # fmt: skip
    with tempfile.TemporaryFile() as told:
        with _running(arguments, data, told, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as (
            program,
            moved,
        ):
            assert program.stdout is not None
            while chunk := program.stdout.read(_CHUNK):
                moved()
                yield chunk
        _check(program, told, "dump")


def load(data: DataDir, chunks: Iterable[bytes]) -> None:
    """Into an empty database whose roles exist: all of it in one transaction, or nothing."""
    arguments = [find_binaries()["pg_restore"], "--dbname", DATABASE, "--exit-on-error", "--single-transaction",
                 "--no-password"]  # fmt: skip
    with tempfile.TemporaryFile() as told:
        with _running(arguments, data, told, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as (
            program,
            moved,
        ):
            assert program.stdin is not None
            try:
                for chunk in chunks:
                    _write(program.stdin, chunk)
                    moved()
            except BrokenPipeError:
                pass  # it gave up; why is in what it told
            program.stdin.close()
        _check(program, told, "restore")


def _write(pipe: IO[bytes], chunk: bytes) -> None:
    rest = memoryview(chunk)
    while rest:
        rest = rest[pipe.write(rest) :]


@contextmanager
def _running(
    arguments: list[str], data: DataDir, told: IO[bytes], *, stdin: int, stdout: int
) -> Iterator[tuple[subprocess.Popen[bytes], _Moved]]:
    program = subprocess.Popen(
        arguments, bufsize=0, stdin=stdin, stdout=stdout, stderr=told, cwd="/", env=_environment(data)
    )
    moved = _Moved(program)
    try:
        yield program, moved
        program.wait()
    finally:
        moved.stop()
        if program.poll() is None:
            program.kill()
            program.wait()
        for pipe in (program.stdin, program.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()
    if moved.stalled:
        raise DeadlineExceeded(
            f"{os.path.basename(arguments[0])} moved nothing for {STALL_SECONDS / 60:.0f} minutes",  # noqa: PTH119
            code="backup.stalled",
            cure="look for a long transaction or a slow disk, then try again",
        )


class _Moved:
    """Called for each piece that moved; ends the program when it has not been called for long."""

    def __init__(self, program: subprocess.Popen[bytes]) -> None:
        self._program = program
        self._lock = threading.Lock()
        self.stalled = False
        self._timer = self._started()

    def __call__(self) -> None:
        with self._lock:
            self._timer.cancel()
            self._timer = self._started()

    def stop(self) -> None:
        with self._lock:
            self._timer.cancel()

    def _started(self) -> threading.Timer:
        timer = threading.Timer(STALL_SECONDS, self._end)
        timer.daemon = True
        timer.start()
        return timer

    def _end(self) -> None:
        self.stalled = True
        self._program.kill()


def _environment(data: DataDir) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "LC_ALL": "C",
        "PGHOST": str(locate(data).sockets),
        "PGPORT": str(PORT),
        "PGUSER": ADMIN,
        "PGDATABASE": DATABASE,
        "PGPASSWORD": password(data, ADMIN),
        "PGCONNECT_TIMEOUT": "30",
    }


def _check(program: subprocess.Popen[bytes], told: IO[bytes], verb: str) -> None:
    if program.returncode == 0:
        return
    told.seek(0)
    lines = told.read(65536).decode(errors="replace").splitlines()
    reason = next((line for line in lines if "error" in line.lower()), (lines or ["it said nothing"])[0])
    raise Conflict(
        f"PostgreSQL could not {verb} the database: {reason.strip()}",
        code=f"backup.{verb}",
        cure="see the log of PostgreSQL with 'argosy status'; nothing was replaced",
    )
