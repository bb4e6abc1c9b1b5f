"""The installation itself: which services are well, how much room is left, which events wait to be looked at."""

from __future__ import annotations

import asyncio
import platform
import shutil
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from argosy import __version__
from argosy.backends.hosting.service import Clients
from argosy.contracts.gateway import (
    BackupInfo,
    ServiceDeadLetters,
    ServiceDiscard,
    ServiceReplay,
    ServiceStates,
    Storage,
    System,
)
from argosy.contracts.hosting import DeadLetterRequest, Discard, Health, Replay
from argosy.kit.backups import noted
from argosy.kit.calls import Call, service_call
from argosy.kit.clock import now
from argosy.kit.errors import ArgosyError, Forbidden, Invalid
from argosy.kit.operations import Nothing
from argosy.kit.web.binding import bind_body, bind_query
from argosy.platform.gateway.asked import Caller
from argosy.platform.gateway.forward import json_response, read_body
from argosy.platform.gateway.routes import SERVICES
from argosy.platform.gateway.settings import GatewaySettings

_HEALTH_SECONDS = 2.0


class SystemPage:
    def __init__(self, clients: Clients, settings: GatewaySettings, data_dir: Path) -> None:
        self._clients, self._settings, self._data_dir = clients, settings, data_dir
        self._started = now()

    async def health(self, request_id: str) -> list[Health]:
        """Every service is asked at once; one that is silent costs two seconds, not the page."""
        own = Health("gateway", "ready", __version__, since=self._started)
        return [own, *await asyncio.gather(*(self._ask(name, request_id) for name in SERVICES))]

    async def _ask(self, name: str, request_id: str) -> Health:
        call = service_call("gateway", seconds=_HEALTH_SECONDS, request_id=request_id)
        try:
            return await self._clients.hosted(name).health(call=call, request=Nothing())
        except ArgosyError as error:
            return Health(name, "down", reason=error.message, detail=error.detail)

    async def states(self, call: Call) -> Response:
        services = await self.health(call.request_id)
        return json_response(
            ServiceStates([Health(one.service, one.state, reason=one.reason) for one in services])
        )

    async def page(self, call: Call) -> Response:
        if not call.principal.platform_admin:
            raise Forbidden(
                "only an administrator of the installation may see this", code="auth.platform_admin"
            )
        services = await self.health(call.request_id)
        storage, backups = await asyncio.to_thread(
            self._disk, sum(one.database_bytes or 0 for one in services)
        )
        return json_response(
            System(
                version=__version__,
                python=platform.python_version(),
                public_url=self._settings.url,
                started=self._started,
                services=services,
                storage=storage,
                backups=backups,
            )
        )

    def _disk(self, database_bytes: int) -> tuple[Storage, list[BackupInfo]]:
        usage = shutil.disk_usage(self._data_dir)
        storage = Storage(str(self._data_dir), usage.free, usage.total, database_bytes)
        return storage, [
            BackupInfo(one.file, one.taken, one.bytes, one.clusters, one.left_out)
            for one in noted(self._data_dir)
        ]

    async def dead_letters(self, request: Request, caller: Caller) -> Response:
        asked = bind_query(ServiceDeadLetters, {}, request.query_params.multi_items())
        plain = DeadLetterRequest(
            limit=asked.limit,
            after=asked.after,
            search=asked.search,
            sort=asked.sort,
            consumer=asked.consumer,
        )
        await caller.vouch(_known(asked.service))
        hosted = self._clients.hosted(asked.service)
        return json_response(await hosted.dead_letters(call=caller.call, request=plain))

    async def replay(self, request: Request, caller: Caller) -> Response:
        body = await read_body(request, 16_384, self._settings.body_seconds)
        asked = bind_body(ServiceReplay, {}, request.headers.get("content-type", ""), body)
        await caller.vouch(_known(asked.service))
        hosted = self._clients.hosted(asked.service)
        return json_response(await hosted.replay(call=caller.call, request=Replay(asked.consumer, asked.key)))

    async def discard(self, request: Request, caller: Caller) -> Response:
        body = await read_body(request, 16_384, self._settings.body_seconds)
        asked = bind_body(ServiceDiscard, {}, request.headers.get("content-type", ""), body)
        await caller.vouch(_known(asked.service))
        hosted = self._clients.hosted(asked.service)
        return json_response(
            await hosted.discard(call=caller.call, request=Discard(asked.consumer, asked.id))
        )


def _known(service: str) -> str:
    if service not in SERVICES:
        raise Invalid(
            f"there is no service {service[:60]!r}", cure=f"services: {', '.join(SERVICES)}",
            context={"field": "service"},
        )  # fmt: skip
    return service
