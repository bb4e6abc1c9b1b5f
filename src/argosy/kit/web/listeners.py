"""uvicorn in our own event loop, on sockets that we made: the signals and the log stay ours."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import stat
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from argosy.kit.sockets import address
from argosy.kit.web.bounded_http import BoundedHttp

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

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        # Whoever does not answer TLS's farewell would hold the loop, and with it the process, for another half a minute.
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)

    def stop(self) -> None:
        self.should_exit = True


def listener(
    app: ASGIApp,
    *,
    tls: tuple[str, str] | None = None,
    context: ssl.SSLContext | None = None,
    http: type[BoundedHttp] = BoundedHttp,
) -> Listener:
    """`tls` names a certificate and its key; `context` is for whoever asks clients for certificates too."""
    config = uvicorn.Config(
        app,
        http=http,
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
        ssl_context_factory=(lambda _config, _default: context) if context else None,
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
