"""PostgreSQL of a data directory, run as the supervisor runs it, for tests that kill, move, back up and restore it.

`short_place` exists because pytest's own temporary paths are close to the limit of a Unix socket's.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from argosy.host.paths import DataDir
from argosy.host.postgres.location import HOME_SETTING, locate, remove
from argosy.host.postgres.orphans import running_on
from argosy.host.postgres.process import postgres_command

_DEADLINE_SECONDS = 30.0


@contextmanager
def short_place() -> Iterator[Path]:
    """An empty folder, open to other users; whatever PostgreSQL still runs below it is ended afterwards."""
    place = Path(tempfile.mkdtemp(prefix="a-", dir="/tmp"))
    place.chmod(0o755)
    before = os.environ.get(HOME_SETTING)
    os.environ[HOME_SETTING] = str(place / "shared")
    try:
        yield place
    finally:
        if before is None:
            del os.environ[HOME_SETTING]
        else:
            os.environ[HOME_SETTING] = before
        for cluster in place.rglob("PG_VERSION"):
            for pid in running_on(cluster.parent):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(place)


class Supervised:
    """Does with the `Command` what the supervisor does, in a few lines."""

    def __init__(self, data: DataDir) -> None:
        self.data = data
        self.said: list[str] = []
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._server is not None, "PostgreSQL is not running"
        return self._server.pid

    def start(self) -> Self:
        command = postgres_command(self.data)
        arguments = command.prepare(self.said.append)
        with (self.data.logs / "postgres.log").open("ab") as log:
            self._server = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True,
                user=command.uid, group=command.gid, extra_groups=None if command.gid is None else [],
            )  # fmt: skip
        deadline = time.monotonic() + _DEADLINE_SECONDS
        while waits_for := command.probe():
            assert self._server.poll() is None, (self.data.logs / "postgres.log").read_text()[-2000:]
            assert time.monotonic() < deadline, waits_for
        return self

    def stop(self) -> None:
        self._end(postgres_command(self.data).stop_signal)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def forget(self) -> subprocess.Popen[bytes]:
        """As if the supervisor had died: the server goes on, and the next start knows nothing of it."""
        server, self._server = self._server, None
        assert server is not None, "PostgreSQL is not running"
        return server

    def _end(self, number: int) -> None:
        if self._server is not None:
            self._server.send_signal(number)
            self._server.wait(_DEADLINE_SECONDS)
            self._server = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()

    def reset(self) -> None:
        """What `argosy reset --yes` does."""
        self.stop()
        if locate(self.data).home.exists():
            remove(self.data)
        shutil.rmtree(self.data.root)
