"""Log files of bounded size, and the pump that fills them from the children's pipes.

`supervisor` opens one `LogFile` per process and one `Pump` per start of it; whole lines only, so a rotation
never cuts one. A full disk loses lines, never the supervisor: the gap is noted when there is room again.
"""

from __future__ import annotations

import os
from pathlib import Path

from argosy.host.supervisor.messages import Lines

SIZE = 10 * 1024 * 1024
KEPT = 5
_READ = 65536
_LONGEST_LINE = 256 * 1024


class LogFile:
    """`name.log`, and before it `name.log.1` … `name.log.4`. Also a text stream, for structlog."""

    def __init__(self, path: Path, *, size: int = SIZE, kept: int = KEPT) -> None:
        self.path = path
        self._limit = size
        self._kept = kept
        self._lost = 0
        self._fd = -1
        self._open()

    def append(self, data: bytes) -> None:
        try:
            if self._size + len(data) > self._limit and self._size:
                self._rotate()
            if self._lost:
                self._put(f"argosy: {self._lost} bytes of this log are lost (the disk was full)\n".encode())
                self._lost = 0
            self._put(data)
        except OSError:
            self._lost += len(data)

    def write(self, text: str) -> int:
        self.append(text.encode())
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _put(self, data: bytes) -> None:
        if self._fd < 0:
            self._open()
        while data:
            written = os.write(self._fd, data)
            self._size += written
            data = data[written:]

    def _open(self) -> None:
        self._fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._size = os.fstat(self._fd).st_size

    def _rotate(self) -> None:
        self.close()
        for number in range(self._kept - 1, 0, -1):
            older = self.path.with_name(f"{self.path.name}.{number}")
            newer = self.path.with_name(f"{self.path.name}.{number - 1}") if number > 1 else self.path
            if newer.exists():
                os.replace(newer, older)
        self._open()


class Pump:
    """One pipe into one log. The reading end is non-blocking."""

    def __init__(self, fd: int, log: LogFile) -> None:
        self.fd = fd
        self.last_line = ""
        self.is_open = True
        self._log = log
        self._lines = Lines()
        self._held = 0

    def read(self) -> bool:
        """One helping; False at the end of the pipe."""
        try:
            data = os.read(self.fd, _READ)
        except BlockingIOError:
            return True
        if data:
            self._take(data)
        else:
            self._finish()
        return bool(data)

    def drain(self) -> None:
        """All that is in the pipe now."""
        while self.is_open:
            try:
                data = os.read(self.fd, _READ)
            except BlockingIOError:
                return
            if not data:
                self._finish()
                return
            self._take(data)

    def close(self) -> None:
        self.drain()
        self._finish()
        self.is_open = False
        os.close(self.fd)

    def _take(self, data: bytes) -> None:
        lines = self._lines.feed(data)
        if lines:
            self._log.append(b"\n".join(lines) + b"\n")
            self._remember(lines)
            self._held = 0
        self._held += len(data)
        if self._held > _LONGEST_LINE:
            self._finish()

    def _finish(self) -> None:
        if rest := self._lines.rest():
            self._log.append(rest + b"\n")
            self._remember([rest])
        self._held = 0

    def _remember(self, lines: list[bytes]) -> None:
        for line in reversed(lines):
            if text := line.decode("utf-8", "replace").strip():
                self.last_line = text[:300]
                return
