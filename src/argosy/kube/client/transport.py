"""How a request reaches a cluster: over TCP with TLS, over a Unix socket, or by a call inside the process."""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Protocol, TypeAlias

import aiohttp
from yarl import URL

from argosy.kube.client.credentials import Credentials, Proof
from argosy.kube.errors import unauthorized, unavailable
from argosy.kube.wire import Handler, Request, Response

_CONNECT_SECONDS = 10.0
_READ_SECONDS = 90.0
"""A silent answer is given up. A stream may be silent for hours, because nothing happens: TCP asks whether the other end lives."""
_ASKED_AFTER, _ASKED_EACH, _ASKED_TIMES = 30, 10, 3
_LATE_SECONDS = 30.0
"""Beyond the time after which the server was asked to end a watch."""

Tls: TypeAlias = Callable[[bytes], ssl.SSLContext | bool]
"""With a client certificate and its key, in PEM; without any for nothing."""


def no_tls(_: bytes) -> bool:
    return False


class Transport(Protocol):
    async def send(self, request: Request, *, stream: bool = False) -> Response:
        """`stream`: the answer's body comes as it arrives; otherwise it is whole."""
        ...

    async def close(self) -> None: ...


class Http:
    """Over TCP or, with `unix`, over a socket in the file system. Connections are kept and shared."""

    def __init__(
        self,
        url: str,
        *,
        tls: Tls = no_tls,
        credentials: Credentials | None = None,
        unix: str = "",
        server_name: str = "",
        proxy: URL | None = None,
    ) -> None:
        self._url, self._unix, self._proxy = URL(url), unix, proxy
        self._tls, self._context = tls, (b"", tls(b""))
        self._credentials = credentials
        self._server_name = server_name or None
        self._opened: aiohttp.ClientSession | None = None

    async def send(self, request: Request, *, stream: bool = False) -> Response:
        if self._credentials is None:
            return await self._send(request, Proof(), stream=stream)
        proof = await self._credentials.proof()
        answer = await self._send(request, proof, stream=stream)
        if answer.status == 401 and self._credentials.refused(proof):
            return await self._send(request, await self._credentials.proof(), stream=stream)
        return answer

    async def _send(self, request: Request, proof: Proof, *, stream: bool) -> Response:
        try:
            answer = await self._session().request(
                request.method,
                self._url.with_path(self._url.path.rstrip("/") + request.path).with_query(
                    list(request.query)
                ),
                headers={**request.headers, **proof.headers},
                data=request.body or None,
                timeout=_patience(request, stream=stream),
                ssl=self._tls_for(proof.certificate),
                proxy=self._proxy,
                server_hostname=self._server_name,
                allow_redirects=False,
            )
            if stream and answer.status < 300:
                return Response(answer.status, _headers(answer), _chunks(answer))
            async with answer:
                return Response(answer.status, _headers(answer), await answer.read())
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise unavailable(
                f"the cluster at {self._url.origin()} cannot be reached: {_told(error)}"
            ) from error

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()
            await asyncio.sleep(0)  # sockets are closed a moment later, and the loop may end with this call

    def _tls_for(self, certificate: bytes) -> ssl.SSLContext | bool:
        """Another certificate means other connections: they are kept apart by their context."""
        if self._context[0] != certificate:
            try:
                self._context = certificate, self._tls(certificate)
            except ssl.SSLError as error:
                raise unauthorized("the certificate that was handed out and its key are no pair") from error
        return self._context[1]

    def _session(self) -> aiohttp.ClientSession:
        if self._opened is None:
            connector: aiohttp.BaseConnector = (
                aiohttp.UnixConnector(path=self._unix, limit=0)
                if self._unix
                else aiohttp.TCPConnector(limit=0, socket_factory=_asked_whether_it_lives)
            )
            self._opened = aiohttp.ClientSession(connector=connector, auto_decompress=True)
        return self._opened


class InProcess:
    """To a cluster of this process: the same authentication, rights and bytes, without a connection."""

    def __init__(self, handler: Handler, token: str) -> None:
        self._handler, self._token = handler, token

    async def send(self, request: Request, *, stream: bool = False) -> Response:
        headers = {**request.headers, "authorization": f"Bearer {self._token}"}
        answer = await self._handler(replace(request, headers=headers))
        if stream or isinstance(answer.body, bytes):
            return answer
        return replace(answer, body=b"".join([chunk async for chunk in answer.body]))

    async def close(self) -> None:
        pass


def _patience(request: Request, *, stream: bool) -> aiohttp.ClientTimeout:
    if not stream:
        return aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS, sock_read=_READ_SECONDS)
    seconds = request.parameter("timeoutSeconds")
    whole = float(seconds) + _LATE_SECONDS if seconds else None
    return aiohttp.ClientTimeout(total=whole, sock_connect=_CONNECT_SECONDS)


def _asked_whether_it_lives(address: aiohttp.AddrInfoType) -> socket.socket:
    family, kind, protocol, _, _ = address
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if sys.platform == "linux":
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _ASKED_AFTER)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _ASKED_EACH)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _ASKED_TIMES)
    return made


async def _chunks(answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    try:
        async for chunk in answer.content.iter_any():
            yield chunk
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise unavailable(f"the stream broke off: {_told(error)}") from error
    finally:
        # A stream that nobody reads on is cut: saying goodbye would take as long as the other end likes.
        if answer.connection is not None and answer.connection.transport is not None:
            answer.connection.transport.abort()
        answer.close()


def _headers(answer: aiohttp.ClientResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in answer.headers.items()}


def _told(error: BaseException) -> str:
    return str(error) or type(error).__name__
