"""A node that is not let in tries on, and says why once."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from structlog.testing import capture_logs

from argosy.kube.client import Client, in_process
from argosy.kube.nodes import registration
from argosy.kube.nodes.simulation import SimulatedNode
from argosy.kube.nodes.simulation.addresses import Addresses
from argosy.kube.reconcile import Copies, Events, Workplace
from argosy.kube.wire import Request, Response


class Server:
    """Refuses everything for a while, then takes it."""

    def __init__(self, *refusals: str) -> None:
        self._refusals = iter(refusals)
        self.renewed = asyncio.Event()

    async def handle(self, request: Request) -> Response:
        if message := next(self._refusals, ""):
            status = {"kind": "Status", "code": 403, "reason": "Forbidden", "message": message}
            return Response(403, {}, msgspec.json.encode(status))
        if "/leases/" in request.path:
            self.renewed.set()
        return Response(200, {}, request.body or b"{}")


async def test_retries_that_are_refused_for_the_same_reason_are_logged_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registration, "_FIRST_DELAY", 0.0)
    server = Server(*["not now"] * 50, *["not you"] * 50)
    client: Client = in_process(server.handle, "token")
    place = Workplace(client, Copies(client), Events(client, "kubelet"))
    with capture_logs() as logged:
        knowing = asyncio.create_task(registration.keep_known(place, SimulatedNode(1, place, Addresses())))
        async with asyncio.timeout(20):
            await server.renewed.wait()
    knowing.cancel()
    await asyncio.gather(knowing, return_exceptions=True)
    assert [one["error"] for one in logged] == ["not now", "not you"]
