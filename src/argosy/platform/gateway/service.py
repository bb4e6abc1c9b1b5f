"""The gateway's wiring: what it is made of, and the loop that hears of ended credentials."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol, cast

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from argosy.backends.hosting import Resources, Running, Service
from argosy.contracts.audit import Audit
from argosy.contracts.identity import Identity
from argosy.kit.calls import service_call
from argosy.kit.errors import ArgosyError
from argosy.kit.log import get_logger
from argosy.kit.operations import Nothing
from argosy.platform.gateway.answers import OwnAnswers
from argosy.platform.gateway.app import Edge, plain_ok
from argosy.platform.gateway.asked import Probe
from argosy.platform.gateway.credentials import Credentials
from argosy.platform.gateway.ingress import Followed, Passing
from argosy.platform.gateway.noting import Notes
from argosy.platform.gateway.packing import Packing
from argosy.platform.gateway.routes import SERVICES
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
    identity = resources.clients(Identity)
    own = OwnAnswers(identity, Sessions(identity, settings), page, settings.url).by_name()
    probes = {"/healthz": plain_ok, "/readyz": _readiness(page), "/metrics": _metrics(resources)}
    notes = Notes(resources.clients(Audit))
    followed = Followed(settings.clusters, resources.secrets)
    passing = Passing(settings, followed, streams)
    edge = Edge(settings, resources.clients, credentials, streams, own, probes, notes, passing)

    async def hear_revocations() -> None:
        try:
            async for revoked in identity.revocations(
                call=service_call("gateway", seconds=86_400), request=Nothing()
            ):
                credentials.forget(revoked)
                streams.end(revoked)
        except ArgosyError as error:
            log.warning("revocations.interrupted", reason=error.told)
            await asyncio.sleep(0.5)  # identity is restarting; what is kept ends by itself within 20 s
        finally:
            credentials.forget_all()

    return Running(
        api=object(),
        app=Packing(edge),
        background=(hear_revocations, streams.keep_checking, notes.send, followed.follow),
        stopping=streams.end_all,
    )


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
