"""uvicorn in our own event loop, on sockets that we made: the signals and the log stay ours."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from argosy.host.composition.bounded_http import BoundedHttp
from argosy.host.sockets import address

_BACKLOG = 2048
_DRAIN_SECONDS = 5


class Listener(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # the process handles its signals itself

    def stop(self) -> None:
        self.should_exit = True


def listener(app: ASGIApp, *, tls: tuple[str, str] | None = None) -> Listener:
    config = uvicorn.Config(
        app,
        http=BoundedHttp,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
        backlog=_BACKLOG,
        ssl_certfile=tls[0] if tls else None,
        ssl_keyfile=tls[1] if tls else None,
    )
    return Listener(config)


def unix_socket(path: Path) -> socket.socket:
    """0600 in a 0700 folder; one that a killed process left behind is replaced."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.stat().st_mode):
            path.unlink()
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.bind(address(path))
    path.chmod(0o600)
    made.setblocking(False)
    return made
