"""How a request reaches a cluster: over TCP with TLS, over a Unix socket, or by a call inside the process."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Protocol

import aiohttp
from yarl import URL

from argosy.kube.client.credentials import Credentials
from argosy.kube.errors import unavailable
from argosy.kube.wire import Handler, Request, Response

_CONNECT_SECONDS = 10.0
_READ_SECONDS = 90.0
"""A silent answer is given up; a watch gets bookmarks within this time."""


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
        tls: ssl.SSLContext | bool = True,
        credentials: Credentials | None = None,
        unix: str = "",
        server_name: str = "",
    ) -> None:
        self._url, self._tls, self._unix = URL(url), tls, unix
        self._credentials = credentials
        self._server_name = server_name or None
        self._opened: aiohttp.ClientSession | None = None

    async def send(self, request: Request, *, stream: bool = False) -> Response:
        if self._credentials is None:
            return await self._send(request, {}, stream=stream)
        proof = await self._credentials.headers()
        answer = await self._send(request, proof, stream=stream)
        if answer.status == 401 and self._credentials.refused(proof):
            return await self._send(request, await self._credentials.headers(), stream=stream)
        return answer

    async def _send(self, request: Request, proof: dict[str, str], *, stream: bool) -> Response:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS, sock_read=_READ_SECONDS)
        try:
            answer = await self._session().request(
                request.method,
                self._url.with_path(self._url.path.rstrip("/") + request.path).with_query(
                    list(request.query)
                ),
                headers={**request.headers, **proof},
                data=request.body or None,
                timeout=timeout,
                ssl=self._tls,
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

    def _session(self) -> aiohttp.ClientSession:
        if self._opened is None:
            connector: aiohttp.BaseConnector = (
                aiohttp.UnixConnector(path=self._unix, limit=0)
                if self._unix
                else aiohttp.TCPConnector(limit=0)
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
