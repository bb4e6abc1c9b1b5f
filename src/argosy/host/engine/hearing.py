"""The Unix socket by which the engine hears of pushes to the built-in Git server, before anybody would look."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from argosy.host.paths import DataDir
from argosy.kit.ids import token
from argosy.kit.tokens.files import create_once

NAME = "engine"
_TOKEN = "engine-token"
_MOST = 4096


class Pushed(msgspec.Struct, frozen=True):
    path: str


def token_file(data: DataDir) -> Path:
    return data.secrets / _TOKEN


def app(data: DataDir, pushed: Callable[[str], None]) -> Starlette:
    """`pushed` is told the repository's path below the platform's URL."""
    create_once(token_file(data), token().encode(), 0o600)
    expected = f"Bearer {token_file(data).read_text().strip()}".encode()

    async def hear(request: Request) -> Response:
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), expected):
            return Response("this socket needs its token", 401, media_type="text/plain")
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST:
                return Response("too long", 413, media_type="text/plain")
        try:
            told = msgspec.json.decode(body, type=Pushed)
        except msgspec.MsgspecError as error:
            return Response(str(error), 400, media_type="text/plain")
        pushed(told.path)
        return Response(status_code=204)

    return Starlette(routes=[Route("/pushed", hear, methods=["POST"])])
