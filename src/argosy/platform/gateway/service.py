"""The gateway's wiring: what it is made of, and the loop that hears of ended credentials."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol, cast

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from argosy import __version__
from argosy.backends.hosting import Resources, Running, Service
from argosy.contracts.gateway import Version
from argosy.contracts.identity import Identity
from argosy.kit.calls import service_call
from argosy.kit.errors import ArgosyError, Unauthenticated
from argosy.kit.log import get_logger
from argosy.kit.operations import Nothing
from argosy.kit.web.openapi import document
from argosy.platform.gateway import compatible, reference
from argosy.platform.gateway.app import Caller, Edge, OwnAnswer, Probe, plain_ok
from argosy.platform.gateway.credentials import Credentials
from argosy.platform.gateway.forward import json_response
from argosy.platform.gateway.routes import SERVICES, openapi_entries
from argosy.platform.gateway.sessions import Sessions
from argosy.platform.gateway.settings import GatewaySettings
from argosy.platform.gateway.streams import OpenStreams
from argosy.platform.gateway.system import SystemPage

log = get_logger(__name__)


class Gateway(Protocol):
    """Nothing inside the platform asks the gateway for anything."""


async def build(resources: Resources) -> Running:
    settings = cast(GatewaySettings, resources.settings)
    credentials, streams = Credentials(resources.clients), OpenStreams()
    page = SystemPage(resources.clients, settings, resources.data_dir)
    own = _own_answers(resources, settings, page)
    probes = {"/healthz": plain_ok, "/readyz": _readiness(page), "/metrics": _metrics(resources)}
    edge = Edge(settings, resources.clients, credentials, streams, own, probes)

    async def hear_revocations() -> None:
        identity = resources.clients(Identity)
        try:
            async for revoked in identity.revocations(
                call=service_call("gateway", seconds=86_400), request=Nothing()
            ):
                credentials.forget(revoked)
                streams.end(revoked)
        except ArgosyError as error:
            log.warning("revocations.interrupted", reason=error.message)
            await asyncio.sleep(0.5)  # identity is restarting; what is kept ends by itself within 20 s
        finally:
            credentials.forget_all()

    app = GZipMiddleware(edge, minimum_size=1024, compresslevel=5)
    return Running(
        api=object(),
        app=app,
        background=(hear_revocations, streams.keep_checking),
        stopping=streams.end_all,
    )


def _own_answers(resources: Resources, settings: GatewaySettings, page: SystemPage) -> dict[str, OwnAnswer]:
    identity = resources.clients(Identity)
    sessions = Sessions(identity, settings)
    described = document(openapi_entries(), version=__version__, url=settings.url)
    description, readable = msgspec.json.encode(described), reference.page(described)

    def signed_in(caller: Caller | None) -> Caller:
        if caller is None:
            raise Unauthenticated("nobody is signed in", code="auth.required")
        return caller

    async def logout(request: Request, caller: Caller | None, remote: str, request_id: str) -> Response:
        return await sessions.logout(signed_in(caller).call)

    async def authenticate(request: Request, caller: Caller | None, remote: str, request_id: str) -> Response:
        signed_in(caller)
        return compatible.authenticated()

    async def user(request: Request, caller: Caller | None, remote: str, request_id: str) -> Response:
        return await compatible.user(identity, signed_in(caller).call)

    async def version(request: Request, caller: Caller | None, remote: str, request_id: str) -> Response:
        return json_response(Version(__version__))

    async def system(request: Request, caller: Caller | None, remote: str, request_id: str) -> Response:
        return await page.page(signed_in(caller).call)

    async def services(request: Request, caller: Caller | None, remote: str, request_id: str) -> Response:
        return await page.states(signed_in(caller).call)

    async def dead_letters(request: Request, caller: Caller | None, remote: str, request_id: str) -> Response:
        return await page.dead_letters(request, signed_in(caller))

    async def replay(request: Request, caller: Caller | None, remote: str, request_id: str) -> Response:
        return await page.replay(request, signed_in(caller))

    async def openapi(request: Request, caller: Caller | None, remote: str, request_id: str) -> Response:
        return Response(description, media_type="application/json", headers={"cache-control": "no-cache"})

    async def readable_reference(
        request: Request, caller: Caller | None, remote: str, request_id: str
    ) -> Response:
        return HTMLResponse(readable, headers={"cache-control": "no-cache"})

    return {
        "reference": readable_reference,
        "login": lambda request, _, remote, request_id: sessions.login(request, remote, request_id),
        "link": lambda request, _, remote, request_id: sessions.link(request, remote, request_id),
        "accept": lambda request, _, remote, request_id: sessions.accept(request, remote, request_id),
        "invitation": lambda request, _, remote, request_id: sessions.invitation(request, remote, request_id),
        "logout": logout,
        "authenticate": authenticate,
        "user": user,
        "version": version,
        "system": system,
        "services": services,
        "dead_letters": dead_letters,
        "replay": replay,
        "openapi": openapi,
    }


def _readiness(page: SystemPage) -> Probe:
    """Ready means that people can sign in: identity answers. Anybody may ask, so the services are asked once a second
    at most, however many do."""
    asked, reason, one_at_a_time = 0.0, "starting", asyncio.Lock()

    async def ready(_: Request) -> Response:
        nonlocal asked, reason
        async with one_at_a_time:
            if time.monotonic() - asked > 1.0:
                states = {one.service: one for one in await page.health("readiness")}
                well = states["identity"].state == "ready"
                asked, reason = time.monotonic(), "" if well else f"identity: {states['identity'].reason}"
        return PlainTextResponse(reason or "ok", 503 if reason else 200)

    return ready


def _metrics(resources: Resources) -> Probe:
    async def metrics(request: Request) -> Response:
        resources.metrics_guard(request.headers.get("authorization", ""))
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    return metrics


SERVICE = Service(
    name="gateway", contract=Gateway, build=build, settings=GatewaySettings, depends_on=SERVICES
)
