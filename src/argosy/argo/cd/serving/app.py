"""Routes, who may use them, and how errors look: like those of Argo CD's own server, so that its clients understand them."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from argosy.argo.cd.engine import Engine
from argosy.argo.cd.repositories.sources import Sources
from argosy.argo.cd.serving import answers
from argosy.argo.cd.serving.asking import RollbackAsked, SyncAsked
from argosy.kit.errors import ArgosyError, BadRequest, Unauthenticated
from argosy.kit.log import get_logger
from argosy.kube.errors import ApiError

log = get_logger(__name__)
_T = TypeVar("_T", bound=msgspec.Struct)
_MOST_BODY = 4 * 1024 * 1024
_CODES = {400: 3, 401: 16, 403: 7, 404: 5, 409: 9, 412: 9, 422: 3, 429: 8, 503: 14, 504: 4}
"""gRPC's numbers, which Argo CD's clients look at."""
Handler = Callable[[answers.Answers, Request], Awaitable[object]]


def app(engine: Engine, sources: Sources, token: Callable[[], str]) -> Starlette:
    """`token` is what a caller has to bring; it may change at any time."""
    found = answers.Answers(engine, sources)

    def route(path: str, method: str, handler: Handler) -> Route:
        async def endpoint(request: Request) -> Response:
            return await _answer(found, request, handler, token())

        return Route(path, endpoint, methods=[method])

    one = "/api/v1/applications/{name}"
    return Starlette(
        routes=[
            Route("/healthz", _healthy, methods=["GET"]),
            route("/api/version", "GET", lambda it, _: it.version()),
            route("/api/v1/settings", "GET", lambda it, _: it.settings()),
            route("/api/v1/projects", "GET", lambda it, _: it.projects()),
            route("/api/v1/clusters", "GET", lambda it, _: it.clusters()),
            route("/api/v1/repositories", "GET", lambda it, _: it.repositories()),
            route("/api/v1/applications", "GET", lambda it, request: it.list(_query(request, "projects"))),
            route(one, "GET", lambda it, request: it.get(*_which(request), _query(request, "refresh"))),
            route(f"{one}/managed-resources", "GET", lambda it, request: it.managed(*_which(request))),
            route(
                f"{one}/manifests",
                "GET",
                lambda it, request: it.manifests(*_which(request), _query(request, "revision")),
            ),
            route(f"{one}/sync", "POST", _sync),
            route(f"{one}/rollback", "POST", _rollback),
            route(f"{one}/operation", "DELETE", lambda it, request: it.terminate(*_which(request))),
            route(
                f"{one}/resource", "GET", lambda it, request: it.resource(*_which(request), _object(request))
            ),
            route(f"{one}/resource", "DELETE", _delete),
            route(
                f"{one}/resource/actions",
                "GET",
                lambda it, request: it.actions(*_which(request), _object(request)),
            ),
            route(f"{one}/resource/actions", "POST", _act),
            route(f"{one}/pods/{{pod}}/logs", "GET", _logs),
            route(f"{one}/logs", "GET", _logs),
        ]
    )


async def _healthy(request: Request) -> Response:
    return Response("ok", media_type="text/plain")


async def _answer(found: answers.Answers, request: Request, handler: Handler, token: str) -> Response:
    try:
        _check(request, token)
        answer = await handler(found, request)
    except ArgosyError as error:
        words = f"{error.message}: {error.cure}" if error.cure else error.message
        return _error(error.status, words)
    except ApiError as error:
        return _error(error.code, error.message)
    except TimeoutError:
        return _error(504, "it took too long")
    if isinstance(answer, Response):
        return answer
    return Response(msgspec.json.encode(answer), media_type="application/json")


def _check(request: Request, token: str) -> None:
    brought = request.headers.get("authorization", "").removeprefix("Bearer ").encode()
    if not token or not hmac.compare_digest(brought, token.encode()):
        raise Unauthenticated("no session information", code="argo.token")


def _error(status: int, message: str) -> Response:
    body = {"error": message, "code": _CODES.get(status, 2), "message": message}
    return Response(msgspec.json.encode(body), status, media_type="application/json")


async def _sync(found: answers.Answers, request: Request) -> object:
    return await found.sync(*_which(request), await _body(request, SyncAsked))


async def _rollback(found: answers.Answers, request: Request) -> object:
    return await found.rollback(*_which(request), await _body(request, RollbackAsked))


async def _delete(found: answers.Answers, request: Request) -> object:
    force, orphan = _query(request, "force") == "true", _query(request, "orphan") == "true"
    return await found.delete(*_which(request), _object(request), force=force, orphan=orphan)


async def _act(found: answers.Answers, request: Request) -> object:
    """Older clients send the name of the action alone, newer ones parameters beside it."""
    body = await _bytes(request)
    try:
        said = msgspec.json.decode(body)
    except msgspec.MsgspecError as error:
        raise BadRequest(f"the body is not JSON: {error}", code="argo.body") from None
    if isinstance(said, str):
        return await found.act(*_which(request), _object(request), said, {})
    if not isinstance(said, dict) or not isinstance(said.get("action"), str):
        raise BadRequest("the body names no action", code="argo.body")
    listed = said.get("resourceActionParameters") or ()
    parameters = {str(one["name"]): str(one["value"]) for one in listed if isinstance(one, dict)}
    wanted = answers.Wanted(
        group=str(said.get("group", "")) or _query(request, "group"),
        version=str(said.get("version", "")) or _query(request, "version"),
        kind=str(said.get("kind", "")) or _query(request, "kind"),
        namespace=str(said.get("namespace", "")) or _query(request, "namespace"),
        name=str(said.get("resourceName", "")) or _query(request, "resourceName"),
    )
    return await found.act(*_which(request), wanted, said["action"], parameters)


async def _logs(found: answers.Answers, request: Request) -> object:
    tail = _query(request, "tailLines")
    if tail and not tail.isdigit():
        raise BadRequest(f"tailLines={tail!r} is no number", code="argo.query")
    lines = await found.logs(
        *_which(request),
        pod=str(request.path_params.get("pod", "")) or _query(request, "podName"),
        pod_namespace=_query(request, "namespace"),
        container=_query(request, "container"),
        follow=_query(request, "follow") == "true",
        tail=int(tail) if tail else None,
    )
    return StreamingResponse(_framed(lines), media_type="application/json")


async def _framed(lines: AsyncIterator[object]) -> AsyncIterator[bytes]:
    """As grpc-gateway streams: one object a line."""
    try:
        async for line in lines:
            yield msgspec.json.encode({"result": line}) + b"\n"
    except ApiError as error:
        yield msgspec.json.encode({"error": {"message": error.message, "http_code": error.code}}) + b"\n"


def _which(request: Request) -> tuple[str, str]:
    return request.path_params["name"], _query(request, "appNamespace")


def _object(request: Request) -> answers.Wanted:
    return answers.Wanted(
        group=_query(request, "group"),
        version=_query(request, "version"),
        kind=_query(request, "kind"),
        namespace=_query(request, "namespace"),
        name=_query(request, "resourceName"),
    )


def _query(request: Request, name: str) -> str:
    return request.query_params.get(name, "")


async def _body(request: Request, type_: type[_T]) -> _T:
    try:
        return msgspec.json.decode(await _bytes(request) or b"{}", type=type_)
    except msgspec.MsgspecError as error:
        raise BadRequest(f"the body cannot be read: {error}", code="argo.body") from None


async def _bytes(request: Request) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BODY:
            raise BadRequest(f"the body is larger than {_MOST_BODY // 2**20} MB", code="argo.body")
    return bytes(body)
