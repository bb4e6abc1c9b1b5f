"""The supervisor's own socket: one JSON line `{"do": "status"}` or `{"do": "stop"}` in, JSON lines out.

`Control` runs inside the supervisor's loop; `ask` and `stop` are the other end, used by `argosy status`, `down`
and `reset`. Access is the socket's mode (0600) in a private folder: whoever reaches it may stop the platform.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Literal

import msgspec

from argosy.host.supervisor.loop import Loop
from argosy.host.supervisor.state import State
from argosy.kit.errors import DeadlineExceeded, Unavailable

_LONGEST_REQUEST = 4096
_MOST_CLIENTS = 32
NAME = "control"


class Request(msgspec.Struct):
    do: Literal["status", "stop"]


class Progress(msgspec.Struct, omit_defaults=True):
    """A line of the answer to `stop`; the last has `stopped` set. `error` answers a bad request."""

    note: str = ""
    stopped: bool = False
    error: str = ""


class Control:
    def __init__(
        self, path: Path, loop: Loop, *, state: Callable[[], State], stop: Callable[[], None]
    ) -> None:
        self._path = path
        self._loop = loop
        self._state = state
        self._stop = stop
        self._clients: dict[socket.socket, bytes] = {}
        self._waiting: list[socket.socket] = []
        path.unlink(missing_ok=True)
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        old_mask = os.umask(0o177)
        try:
            with contextlib.chdir(path.parent):  # a socket's address has room for 107 bytes only
                self._server.bind(path.name)
        finally:
            os.umask(old_mask)
        self._server.listen(16)
        self._server.setblocking(False)
        loop.on_readable(self._server.fileno(), self._accept)

    def tell(self, note: str) -> None:
        """Progress for those who wait for the stop."""
        for client in list(self._waiting):
            self._send(client, Progress(note=note))

    def close(self) -> None:
        for client in list(self._waiting):
            self._send(client, Progress(stopped=True))
        for client in list(self._clients):
            self._drop(client)
        self._loop.forget(self._server.fileno())
        self._server.close()
        self._path.unlink(missing_ok=True)

    def _accept(self) -> None:
        try:
            client, _ = self._server.accept()
        except OSError:  # it has gone again, or there are no descriptors for it
            return
        if len(self._clients) >= _MOST_CLIENTS:
            client.close()
            return
        client.setblocking(False)
        self._clients[client] = b""
        self._loop.on_readable(client.fileno(), lambda: self._read(client))

    def _read(self, client: socket.socket) -> None:
        try:
            data = client.recv(_LONGEST_REQUEST)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        received = self._clients[client] + data
        if not data or len(received) > _LONGEST_REQUEST:
            self._drop(client)
        elif b"\n" in received:
            self._clients[client] = b""
            self._answer(client, received.partition(b"\n")[0])
        else:
            self._clients[client] = received

    def _answer(self, client: socket.socket, line: bytes) -> None:
        try:
            request = msgspec.json.decode(line, type=Request)
        except msgspec.DecodeError as error:
            self._send(client, Progress(error=f"not a request: {error}"))
            return
        if request.do == "status":
            self._send(client, self._state())
        else:
            self._waiting.append(client)
            self._stop()

    def _send(self, client: socket.socket, answer: State | Progress) -> None:
        """A client that does not read its few lines is not waited for."""
        try:
            client.sendall(msgspec.json.encode(answer) + b"\n")
        except OSError:
            self._drop(client)

    def _drop(self, client: socket.socket) -> None:
        if client in self._clients:
            del self._clients[client]
            self._loop.forget(client.fileno())
            client.close()
        if client in self._waiting:
            self._waiting.remove(client)


def ask(path: Path, *, timeout: float = 5.0) -> State:
    """The state as the supervisor knows it now."""
    with contextlib.closing(_lines(path, "status", timeout)) as lines:
        return msgspec.json.decode(next(lines), type=State)


def stop(path: Path, say: Callable[[str], None], *, timeout: float) -> None:
    """Returns when everything has stopped; `timeout` bounds the silence between two lines."""
    with contextlib.closing(_lines(path, "stop", timeout)) as lines:
        for line in lines:
            progress = msgspec.json.decode(line, type=Progress)
            if progress.stopped:
                return
            say(progress.note or progress.error)


def _lines(path: Path, verb: str, timeout: float) -> Generator[bytes, None, None]:
    """Raises `Unavailable` when nobody listens there."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout)
        try:
            with contextlib.chdir(path.parent):
                connection.connect(path.name)
            connection.sendall(msgspec.json.encode({"do": verb}) + b"\n")
            with connection.makefile("rb") as answer:
                yield from answer
        except TimeoutError as error:
            raise DeadlineExceeded(
                f"the supervisor did not answer for {timeout:.0f} s",
                code="host.control",
                cure="see logs/supervisor.log in the data directory",
                context={"where": str(path)},
            ) from error
        except OSError as error:
            raise Unavailable(
                f"the supervisor cannot be asked: {error.strerror or error}",
                code="host.control",
                context={"where": str(path)},
            ) from error
