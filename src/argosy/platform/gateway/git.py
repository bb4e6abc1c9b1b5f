"""Git at the edge: its requests go to the Git server as they come, and the answer back, piece by piece and nothing held.

`app` finds out who asks. What fails is told in plain text, which git shows to people; a missing or bad credential with the challenge on which
git asks for another one. When the credential ends, the transfer breaks off.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from argosy.kit.calls import Call
from argosy.kit.errors import ArgosyError, Unavailable
from argosy.kit.rpc.passages import SECONDS, Asked, Passage, Passed
from argosy.platform.gateway.packing import GIT
from argosy.platform.gateway.streams import Again, OpenStreams, until

__all__ = ["SECONDS", "SERVICE", "answer", "failed"]

SERVICE = "git_server"
_SENT = ("content-type", "content-encoding", "git-protocol", "accept")
_RETURNED = ("content-type", "cache-control")


async def answer(
    passage: Passage, call: Call, request: Request, streams: OpenStreams, still: Again
) -> Response:
    """As soon as the service's answer begins; the body may still be coming in."""
    open_ = AsyncExitStack()
    try:
        ended = open_.enter_context(streams.watch(call.principal, still))
        asked = Asked(
            method=request.method,
            path="/" + request.scope["path"].removeprefix(GIT),
            query=request.scope["query_string"].decode("latin-1"),
            headers={name: request.headers[name] for name in _SENT if name in request.headers},
            body=_body(request, ended),
        )
        passed = await open_.enter_async_context(passage(call, asked))
        return _Passing(passed, open_, ended)
    except BaseException:
        await open_.aclose()
        raise


def failed(error: ArgosyError) -> Response:
    headers = {"cache-control": "no-store"}
    if error.status == 401:
        headers["www-authenticate"] = 'Basic realm="argosy", charset="UTF-8"'
    if error.status == 429:
        headers["retry-after"] = str(error.context.get("retry_after", 1))
    text = f"{error.message}\n{error.cure}\n" if error.cure else f"{error.message}\n"
    return PlainTextResponse(text, error.status, headers)


async def _body(request: Request, ended: asyncio.Event) -> AsyncIterator[bytes]:
    async for piece in request.stream():
        if ended.is_set():
            raise _over()
        if piece:
            yield piece


class _Passing(Response):
    def __init__(self, passed: Passed, open_: AsyncExitStack, ended: asyncio.Event) -> None:
        super().__init__(
            None, passed.status, {name: passed.headers[name] for name in _RETURNED if name in passed.headers}
        )
        del self.headers["content-length"]
        self._passed, self._open, self._ended = passed, open_, ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._open:
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            async with aclosing(until(self._ended, self._passed.body)) as pieces:  # type: ignore[type-var]
                async for piece in pieces:
                    if piece:
                        await send({"type": "http.response.body", "body": piece, "more_body": True})
            if self._ended.is_set():
                raise _over()  # it breaks off: nobody takes the part for the whole
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def _over() -> ArgosyError:
    return Unavailable("the transfer was ended: the platform stops, or the credential is not good any more")
