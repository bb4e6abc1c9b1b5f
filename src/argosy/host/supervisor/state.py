"""What the running supervisor tells about itself in `run/supervisor.json`, for when it cannot be asked.

Written by `supervisor` at each change, whole or not at all; read by `argosy status`, `argosy down` and the
next `argosy up`. A pid counts only together with its start mark, so an old file never points at a stranger.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from argosy.host.supervisor import procfs


class ProcessState(msgspec.Struct, kw_only=True):
    pid: int
    mark: str
    state: str
    restarts: int
    since: str
    stop_signal: int
    waiting_for: str = ""

    def is_alive(self) -> bool:
        return procfs.is_same(self.pid, self.mark)


class State(msgspec.Struct, kw_only=True):
    pid: int
    mark: str
    url: str
    version: str
    since: str
    data_dir: str
    processes: dict[str, ProcessState]
    listens: str = ""  # address and port, where the URL is another one's

    def is_alive(self) -> bool:
        return procfs.is_same(self.pid, self.mark)


def write(path: Path, state: State) -> None:
    draft = path.with_name(path.name + ".new")
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(state), indent=1))
    os.replace(draft, path)


def read(path: Path) -> State | None:
    """None when there is none, or when a crash of the machine left half of one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=State)
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
        return None
