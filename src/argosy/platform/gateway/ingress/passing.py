"""Carries a request to the pod behind an Ingress, and the answer back: as it comes, in both directions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

import aiohttp
import msgspec
from starlette.requests import Request
from starlette.responses import StreamingResponse
from yarl import URL

from argosy.contracts.ingress import FAILED, PATH, TOKEN, IngressRoute
from argosy.kit.calls import Principal
from argosy.kit.errors import ArgosyError, BadRequest, ErrorBody, Internal, NotFound, from_body
from argosy.platform.gateway.ingress import crossing
from argosy.platform.gateway.ingress.following import Followed
from argosy.platform.gateway.ingress.table import Owner
from argosy.platform.gateway.settings import GatewaySettings
from argosy.platform.gateway.streams import Again, OpenStreams, until

_SILENT_SECONDS = 60.0


class PassedOn(StreamingResponse):
    """An answer of a pod. Its headers are settled: none of ours are added."""


@dataclass(frozen=True, slots=True)
class From:
    remote: str
    request_id: str


class Passing:
    def __init__(self, settings: GatewaySettings, followed: Followed, streams: OpenStreams) -> None:
        self._settings, self._followed, self._streams = settings, followed, streams

    def serves(self, name: str) -> bool:
        """Whether an Ingress has this host."""
        return bool(name) and self._followed.table.of_host(name) is not None

    async def by_host(self, request: Request, name: str, whence: From) -> PassedOn:
        """For everybody, as an Ingress is."""
        self._followed.check()
        path = _raw(request)
        paths = self._followed.table.of_host(name)
        route = paths.find(path) if paths is not None else None
        if route is None:
            raise NotFound(f"no Ingress serves this path of {name}", code="ingress.path")
        told = self._told(request, whence)
        answer = await self._ask(
            request, route, path, crossing.towards_pod(_head(request), told, by_path=False)
        )
        return _passed(answer, crossing.towards_browser(_headers(answer)), _body(answer))

    async def by_path(self, request: Request, whence: From, principal: Principal, again: Again) -> PassedOn:
        """For who is signed in; ends when the credential does."""
        self._followed.check()
        owner, rest = _parted(_raw(request))
        paths = self._followed.table.of_ingress(owner)
        if paths is None:
            raise NotFound(
                f"nothing is served here for an Ingress {owner[1]}/{owner[2]} of a cluster {owner[0]}"[:300],
                code="ingress.absent",
                cure="`argosy kube ingresses` lists what there is, also under hosts of their own",
            )
        if (route := paths.find(rest)) is None:
            raise NotFound("this Ingress does not serve this path", code="ingress.path")
        prefix = "/".join([PATH, *map(quote, owner)])
        told = {**self._told(request, whence), "x-forwarded-prefix": prefix}
        answer = await self._ask(
            request, route, rest, crossing.towards_pod(_head(request), told, by_path=True)
        )
        try:
            host = request.headers.get("host", "")
            headers = crossing.towards_browser_by_path(_headers(answer), prefix=prefix, host=host, path=rest)
        except ArgosyError:
            answer.close()
            raise
        return _passed(answer, headers, self._while_signed_in(_body(answer), principal, again))

    async def _ask(
        self, request: Request, route: IngressRoute, path: str, head: crossing.Headers
    ) -> aiohttp.ClientResponse:
        if "upgrade" in request.headers:
            raise BadRequest("connections are not upgraded on this way", code="ingress.upgrade")
        session, base = self._followed.session()
        target = "/".join(
            quote(one, safe="") for one in (route.cluster, route.namespace, route.service, route.port)
        )
        query = request.scope["query_string"].decode("latin-1")
        url = URL(f"{base}/backends/{target}{path}" + (f"?{query}" if query else ""), encoded=True)
        try:
            answer = await session.request(
                request.method,
                url,
                headers=[*head, (TOKEN, self._followed.token)],
                data=self._sent(request) if _has_body(request) else None,
                allow_redirects=False,
                skip_auto_headers=("user-agent", "accept", "accept-encoding", "content-type"),
                timeout=aiohttp.ClientTimeout(total=None, sock_read=_SILENT_SECONDS),
            )
        except TimeoutError as error:
            raise self._followed.unavailable("nothing came for a minute") from error
        except (aiohttp.ClientError, OSError) as error:
            raise self._followed.unavailable(str(error) or type(error).__name__) from error
        if (failed := answer.headers.get(FAILED)) is not None:
            answer.close()
            raise _failure(failed)
        return answer

    async def _sent(self, request: Request) -> AsyncIterator[bytes]:
        """The body as it comes; who stops sending is not waited for."""
        stream = request.stream()
        while True:
            try:
                async with asyncio.timeout(self._settings.body_seconds):
                    chunk = await anext(stream, None)
            except TimeoutError as error:
                raise BadRequest("the body stopped coming", code="body.slow") from error
            if chunk is None:
                return
            if chunk:
                yield chunk

    def _told(self, request: Request, whence: From) -> dict[str, str]:
        return {
            "x-forwarded-for": whence.remote,
            "x-forwarded-host": request.headers.get("host", ""),
            "x-forwarded-proto": "https" if self._settings.secure else "http",
            "x-request-id": whence.request_id,
        }

    async def _while_signed_in(
        self, body: AsyncIterator[bytes], principal: Principal, again: Again
    ) -> AsyncIterator[bytes]:
        with self._streams.watch(principal, again) as ended:
            async for chunk in until(ended, body):
                if chunk:
                    yield chunk


def _failure(said: str) -> ArgosyError:
    """Of the platform's own part, not of a pod."""
    try:
        return from_body(msgspec.json.decode(unquote(said), type=ErrorBody))
    except msgspec.MsgspecError:
        return Internal("the process of the clusters gave no reason")


def _passed(
    answer: aiohttp.ClientResponse, headers: crossing.Headers, body: AsyncIterator[bytes]
) -> PassedOn:
    passed = PassedOn(body, answer.status)
    passed.raw_headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return passed


async def _body(answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """Cut, not drained, when nobody reads on."""
    try:
        async for chunk in answer.content.iter_any():
            yield chunk
    finally:
        answer.close()


def _head(request: Request) -> crossing.Headers:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw]


def _headers(answer: aiohttp.ClientResponse) -> crossing.Headers:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.raw_headers]


def _raw(request: Request) -> str:
    return (request.scope.get("raw_path") or b"/").decode("latin-1")


def _parted(raw_path: str) -> tuple[Owner, str]:
    """`/ingress/<cluster>/<namespace>/<name>/…`: names need no escapes, and whatever is no such path names nothing."""
    cluster, namespace, name, rest = [*raw_path.removeprefix(PATH + "/").split("/", 3), "", "", "", ""][:4]
    return (cluster, namespace, name), f"/{rest}"


def _has_body(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
