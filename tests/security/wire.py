"""Requests as attackers make them: from an address of their choice, byte by byte, or over the internal sockets."""

from __future__ import annotations

import contextlib
import http.client
import json
import secrets
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.installation import Client, Reply


def address() -> str:
    """An address that nobody has asked from yet."""
    return f"127.1{secrets.randbelow(50)}.{secrets.randbelow(250)}.{secrets.randbelow(250) + 1}"


@dataclass
class Sender(Client):
    """A client with an address of its own: every 127.0.0.0/8 address is this machine, and each has its own limits. What an
    attacker does must not count against 127.0.0.1, from where the other tests sign people in."""

    source: str = field(default_factory=address)

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        timeout: float = 20,
    ) -> Reply:
        with self.open(method, path, body, headers, timeout) as answer:
            streams = answer.getheader("content-type", "").startswith("text/event-stream")
            return _reply(answer, b"" if streams else answer.read())

    @contextmanager
    def open(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        timeout: float = 20,
    ) -> Iterator[http.client.HTTPResponse]:
        """An answer whose body is still on its way."""
        parts = urlsplit(self.url)
        link = http.client.HTTPConnection(
            parts.hostname or "", parts.port, timeout=timeout, source_address=(self.source, 0)
        )
        sent = {**self.headers, **(headers or {})}
        if self.key:
            sent.setdefault("Authorization", self.key)
        if self.cookie:
            sent.setdefault("Cookie", self.cookie)
            sent.setdefault("Origin", self.url)
        try:
            link.request(method, path, body, sent)
            yield link.getresponse()
        finally:
            link.close()


def sender(client: Client, source: str = "") -> Sender:
    return Sender(client.url, client.key, client.cookie, dict(client.headers), source or address())


def raw(url: str, data: bytes, *, timeout: float = 10, source: str = "") -> bytes:
    """All that comes back until the other side closes, or until `timeout` seconds pass in silence."""
    parts = urlsplit(url)
    with socket.create_connection(
        (parts.hostname or "", parts.port or 80), timeout, source_address=(source or address(), 0)
    ) as link:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # refused before it was all sent
            link.sendall(data)
        return drained(link)


def drained(link: socket.socket | ssl.SSLSocket) -> bytes:
    received = b""
    try:
        while chunk := link.recv(65536):
            received += chunk
    except (TimeoutError, ConnectionResetError):
        pass
    return received


def statuses(received: bytes) -> list[int]:
    """The status of each answer in what came back over one connection."""
    return [int(part[:3]) for part in received.split(b"HTTP/1.1 ")[1:]]


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("unix", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


@dataclass(frozen=True)
class Inside:
    """Somebody who can open the internal sockets of an installation, with whatever token they hold."""

    run: Path

    def ask(
        self,
        process: str,
        path: str,
        body: Any = None,
        *,
        token: str = "",
        method: str = "POST",
        seconds: float = 20.0,
    ) -> Reply:
        """Of a stream only the first line is read."""
        link = _UnixConnection(self.run / f"{process}.sock", seconds)
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            link.request(method, path, None if body is None else json.dumps(body), headers)
            answer = link.getresponse()
            streams = answer.getheader("content-type", "").startswith("application/x-ndjson")
            return _reply(answer, answer.readline() if streams else answer.read())
        finally:
            link.close()


def _reply(answer: http.client.HTTPResponse, body: bytes) -> Reply:
    headers = {name.lower(): value for name, value in reversed(answer.getheaders())}
    return Reply(answer.status, headers, body, answer.headers.get_all("set-cookie", []))
