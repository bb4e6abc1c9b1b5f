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
_FAREWELL_SECONDS = 0.2


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
        cutting = asyncio.create_task(self._cut_who_lingers())
        try:
            await super().shutdown(sockets)
        finally:
            cutting.cancel()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)

    async def _cut_who_lingers(self) -> None:
        """TLS waits half a minute for an answer to its farewell. Whoever has been sent everything and does not answer at once is
        gone, or asleep; who still gets something keeps the time of `_DRAIN_SECONDS`."""
        told: set[object] = set()
        while True:
            await asyncio.sleep(_FAREWELL_SECONDS)
            there = list(self.server_state.connections)
            for connection in there:
                if connection in told:
                    connection.transport.abort()
            told = {one for one in there if _has_everything(one.transport)}

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


def _has_everything(transport: asyncio.Transport) -> bool:
    return transport.is_closing() and not transport.get_write_buffer_size()


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
