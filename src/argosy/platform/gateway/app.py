"""The edge's ASGI entry: the order in which a request is looked at, and how any failure becomes an answer."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping

from prometheus_client import Histogram
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from argosy.backends.hosting.dispatch import scope_covers
from argosy.backends.hosting.service import Clients
from argosy.contracts.identity import Revoked
from argosy.kit.calls import ANONYMOUS, Call
from argosy.kit.errors import (
    ArgosyError,
    BadRequest,
    Forbidden,
    Internal,
    MethodNotAllowed,
    NotFound,
    Unauthenticated,
)
from argosy.kit.ids import new_id
from argosy.kit.log import bound, get_logger
from argosy.kit.web.router import Router
from argosy.platform.gateway import forward, git
from argosy.platform.gateway.asked import Answer, Asked, Caller, Probe
from argosy.platform.gateway.credentials import Credentials, Shown, shown_by, shown_to_git
from argosy.platform.gateway.headers import security_headers
from argosy.platform.gateway.ingress import PassedOn, Passing
from argosy.platform.gateway.ingress.passing import From
from argosy.platform.gateway.limits import Limiter, address_key
from argosy.platform.gateway.noting import Note, Notes
from argosy.platform.gateway.origin import check_host, check_origin, client_address, hostname, is_own
from argosy.platform.gateway.packing import GIT
from argosy.platform.gateway.routes import INGRESS, OWN, Forwarded, Own, forwarded
from argosy.platform.gateway.settings import GatewaySettings
from argosy.platform.gateway.static import StaticFiles
from argosy.platform.gateway.streams import OpenStreams
from argosy.platform.gateway.telling import failed, nobody, too_many

log = get_logger(__name__)
SECONDS = Histogram(
    "argosy_http_request_seconds", "Time to the first byte, by route and status", ("route", "status"),
    buckets=(0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10),
)  # fmt: skip
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_LONGEST_KEY = 120
_WHO = "argosy.who"  # in the scope of a request, once it is known
_SAFE = ("GET", "HEAD", "OPTIONS")
Reading = Callable[[Request, GatewaySettings], Shown | None]


class Edge:
    def __init__(
        self,
        settings: GatewaySettings,
        clients: Clients,
        credentials: Credentials,
        streams: OpenStreams,
        own: dict[str, Answer],
        probes: dict[str, Probe],
        notes: Notes,
        passing: Passing,
    ) -> None:
        self._settings, self._clients, self._credentials = settings, clients, credentials
        self._streams, self._own, self._probes, self._notes = streams, own, probes, notes
        self._passing = passing
        targets: list[tuple[str, str, Forwarded | Own]] = [
            (one.route.method, one.route.path, one) for one in forwarded()
        ]
        targets += [(one.method, one.path, one) for one in OWN]
        self._router: Router[Forwarded | Own] = Router(targets)
        self._static = StaticFiles()
        self._headers = security_headers(settings.secure)
        self._signed = Limiter(settings.requests_per_second, settings.burst)
        self._anonymous = Limiter(settings.anonymous_per_second, settings.anonymous_burst)
        self._visitors = Limiter(settings.requests_per_second, settings.burst)  # of Ingresses with a host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        offered = request.headers.get("x-request-id", "")
        request_id = offered if _REQUEST_ID.fullmatch(offered) else new_id()
        started = time.perf_counter()
        with bound(request_id=request_id):
            route = "other"
            try:
                route, response = await self._respond(request, request_id)
            except ArgosyError as error:
                if error.status >= 500:  # the answer names this request's id: the log must know it
                    log.warning(
                        "request.refused",
                        method=scope["method"], path=scope["path"], status=error.status,
                        code=error.code, reason=error.told,
                    )  # fmt: skip
                who = request.scope.get(_WHO, ANONYMOUS)
                for_git = scope["path"].startswith(GIT)
                response = git.failed(error) if for_git else failed(error, request_id, who)
            except ClientDisconnect:
                return
            except Exception:  # the loop's top: what nobody foresaw is logged whole and told as ours
                log.exception("request.failed", method=scope["method"], path=scope["path"])
                response = failed(
                    Internal("something went wrong on our side", cure="the log has it under this request id"),
                    request_id,
                )
            SECONDS.labels(route, response.status_code).observe(time.perf_counter() - started)
            ours = () if isinstance(response, PassedOn) else self._headers
            await response(scope, receive, self._with_headers(send, request_id, ours))

    async def _respond(self, request: Request, request_id: str) -> tuple[str, Response]:
        path: str = request.scope["path"]
        hosts = request.headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 else ""  # two are a disagreement, not a choice
        name = hostname(host)
        if self._passing.serves(name) and not is_own(self._settings, name):
            return "ingress", await self._visit(request, name, request_id)
        if (probe := self._probes.get(path)) is not None:
            return path, await probe(request)
        check_host(self._settings, host)
        if path.startswith("/ingress/"):
            return "ingress", await self._ingress(request, request_id)
        if path.startswith(GIT):
            return f"{GIT}…", await self._git(request, request_id)
        if path != "/api" and not path.startswith("/api/"):
            if request.method not in ("GET", "HEAD"):
                raise MethodNotAllowed("pages are only read", cure="the API is under /api")
            return "page", self._static.answer(request)
        return await self._api(request, request_id)

    async def _visit(self, request: Request, name: str, request_id: str) -> Response:
        """Another origin than ours, and nobody is asked who they are."""
        remote = self._remote(request)
        if wait := self._visitors.take(address_key(remote), time.monotonic()):
            raise too_many(wait)
        return await self._passing.by_host(request, name, From(remote, request_id))

    async def _ingress(self, request: Request, request_id: str) -> Response:
        remote = self._remote(request)
        shown = self._shown(request, remote)
        if shown is None:
            raise nobody()
        with self._notes.about(INGRESS.name, INGRESS.tag, request, remote, request_id) as note:
            caller = await self._own_caller(INGRESS, request, shown, note)
        return await self._passing.by_path(
            request, From(remote, request_id), caller.call.principal, lambda: caller.vouch("identity")
        )

    async def _api(self, request: Request, request_id: str) -> tuple[str, Response]:
        remote = self._remote(request)
        shown = self._shown(request, remote)
        raw = request.scope.get("raw_path", b"").decode("latin-1") or request.scope["path"]
        found = self._router.find("GET" if request.method == "HEAD" else request.method, raw)
        if found[0] is None:
            if found[1]:
                raise MethodNotAllowed(
                    f"{request.method} is not possible here", cure=f"possible: {', '.join(found[1])}"
                )
            raise NotFound(
                "there is nothing under this path", cure="GET /api/openapi.json lists what there is"
            )
        target, named = found
        if request.method == "HEAD" and isinstance(target, Forwarded) and target.operation.streams:
            raise MethodNotAllowed("a stream has no end to tell the length of", cure="possible: GET")
        if isinstance(target, Own):
            return target.path, await self._answer_own(target, request, shown, remote, request_id)
        if shown is None:
            raise nobody()
        with self._notes.about(
            target.operation.name, target.operation.resource, request, remote, request_id
        ) as note:
            return target.route.path, await self._forward(target, named, request, shown, note)

    async def _git(self, request: Request, request_id: str) -> Response:
        """Git's own requests: the service's, with a credential of git's kind and bodies that stream both ways."""
        remote = self._remote(request)
        shown = self._shown(request, remote, shown_to_git)
        if shown is None:
            raise nobody()
        with self._notes.about("git", "repository", request, remote, request_id) as note:
            caller = await self._caller(request, shown, git.SERVICE, note, git.SECONDS)
            passage = self._clients.passage(git.SERVICE)
            note.needed = False  # from here on the service records what happens
            return await git.answer(
                passage, caller.call, request, self._streams, lambda: caller.vouch(git.SERVICE)
            )

    async def _forward(
        self, target: Forwarded, named: Mapping[str, str], request: Request, shown: Shown, note: Note
    ) -> Response:
        self._guard(request, shown, streams=target.operation.streams)
        caller = await self._caller(request, shown, target.service, note, target.operation.deadline)
        body = await forward.bind(target, named, request, self._settings)
        upstream = self._clients.upstream(target.service)
        note.needed = False  # from here on the service records what happens
        response = await forward.answer(
            target, upstream, caller.call, body, self._streams, lambda: caller.vouch(target.service)
        )
        if target.operation.writes and target.service == "identity":
            self._ask_again_about(caller)
        return response

    async def _answer_own(
        self, target: Own, request: Request, shown: Shown | None, remote: str, request_id: str
    ) -> Response:
        caller: Caller | None = None
        if target.needs != "public":
            if shown is None:
                raise nobody()
            with self._notes.about(target.name, target.tag, request, remote, request_id) as note:
                caller = await self._own_caller(target, request, shown, note)
        elif request.method not in _SAFE and request.headers.get("origin") is not None:
            # Signing in from another site's page would put the victim into the attacker's session.
            check_origin(self._settings, request.headers.get("host", ""), request.headers.get("origin"), None)
        response = await self._own[target.name](Asked(request, remote, request_id, caller))
        if caller is not None and request.method not in _SAFE:
            self._ask_again_about(caller)
        return response

    def _ask_again_about(self, caller: Caller) -> None:
        """What callers changed of themselves (the active account, a role, that they signed out) holds for their next
        request, which may come before the stream of revocations tells of it."""
        self._credentials.forget(Revoked(credential=caller.call.principal.credential))

    async def _own_caller(self, target: Own, request: Request, shown: Shown, note: Note) -> Caller:
        self._guard(request, shown, streams=False)
        caller = await self._caller(request, shown, "identity", note, 10.0)
        if not scope_covers(caller.call.principal.scopes, target.scope):
            raise Forbidden(
                f"this key does not have the scope {target.scope}",
                code="auth.scope",
                cure=f"use a key with the scope {target.scope}",
            )
        if target.needs == "platform_admin" and not caller.call.principal.platform_admin:
            raise Forbidden(
                "only an administrator of the installation may do that",
                code="auth.platform_admin",
                cure="ask one of them; Settings → Administrators names them",
            )
        note.needed = target.name == "system"  # the one page that no service answers
        return caller

    async def _caller(
        self, request: Request, shown: Shown, audience: str, note: Note, deadline: float
    ) -> Caller:
        key = request.headers.get("idempotency-key", "")
        if len(key) > _LONGEST_KEY or not key.isprintable():
            raise BadRequest(f"an Idempotency-Key has at most {_LONGEST_KEY} printable characters")
        known = self._credentials.was_good(shown)
        exchanged = await self._credentials.exchange(shown, audience, note.request_id)
        note.who = request.scope[_WHO] = exchanged.principal
        if not known:
            self._anonymous.give_back(address_key(note.remote))
        call = Call(
            principal=exchanged.principal,
            request_id=note.request_id,
            deadline=time.time() + deadline,
            service="gateway",
            remote=note.remote,
            user_agent=request.headers.get("user-agent", "")[:300],
            idempotency_key=key,
        )
        return Caller(
            call, shown, lambda service: self._credentials.exchange(shown, service, note.request_id)
        )

    def _guard(self, request: Request, shown: Shown, *, streams: bool) -> None:
        if shown.kind == "session" and (streams or request.method not in _SAFE):
            check_origin(
                self._settings,
                request.headers.get("host", ""),
                request.headers.get("origin"),
                request.headers.get("sec-fetch-site"),
            )

    def _shown(self, request: Request, remote: str, read: Reading = shown_by) -> Shown | None:
        """A credential that was good has a limit of its own. All else shares its address's, or every guess would come
        with a fresh one; what `_caller` then finds to be good is given back."""
        now = time.monotonic()
        try:
            shown, unreadable = read(request, self._settings), None
        except Unauthenticated as error:
            shown, unreadable = None, error
        if shown is not None and self._credentials.was_good(shown):
            wait = self._signed.take(shown.digest, now)
        else:
            wait = self._anonymous.take(address_key(remote), now)
        if wait:
            raise too_many(wait)
        if unreadable is not None:
            raise unreadable
        return shown

    def _remote(self, request: Request) -> str:
        return client_address(
            request.client.host if request.client else "",
            request.headers.getlist("x-forwarded-for"),
            self._settings.trusted_proxies,
        )

    def _with_headers(self, send: Send, request_id: str, ours: Iterable[tuple[bytes, bytes]]) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    *ours,
                    (b"x-request-id", request_id.encode()),
                ]
            await send(message)

        return sending


async def plain_ok(_: Request) -> Response:
    return PlainTextResponse("ok")
