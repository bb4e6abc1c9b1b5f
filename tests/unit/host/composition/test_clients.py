"""What vouches for a call is exactly its caller's; and no transaction is open across a call: whoever tries is told,
instead of holding locks while another part thinks."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from types import SimpleNamespace

import msgspec
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database
from argosy.contracts.hosting import Health, Hosted
from argosy.contracts.identity import Exchanged
from argosy.host.composition.clients import OutsideTransactions, ServiceClients
from argosy.kit.calls import Call, Principal, service_call
from argosy.kit.errors import Internal
from argosy.kit.operations import Nothing, Operation
from argosy.kit.rpc.client import RemoteService, Upstream, proxy
from tests.postgres import TestPostgres


class Answering(Upstream):
    async def call(self, operation: Operation, call: Call, request: msgspec.Struct) -> msgspec.Struct:
        return Health("cron", "ready")


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    with TestPostgres() as server:
        opened = Database(server.new_database(services=["things"])["things"], service="things")
        await opened.open()
        yield opened
        await opened.close()


async def test_another_service_cannot_be_asked_inside_a_transaction(database: Database) -> None:
    hosted = proxy(Hosted, OutsideTransactions(Answering()))
    call = service_call("tester")

    async with database.transaction(EVERY_ACCOUNT):
        with pytest.raises(Internal, match="inside a transaction"):
            await hosted.health(call=call, request=Nothing())

    assert (await hosted.health(call=call, request=Nothing())).state == "ready"


async def test_a_token_from_before_a_switch_of_accounts_vouches_for_no_call_from_behind_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The answer to an older exchange may come in last: same session, another account."""
    shown: list[str] = []

    class Socket:
        def to(self, endpoint: str) -> tuple[str, None]:
            return endpoint, None

    class Noting(RemoteService):
        async def call(self, operation: Operation, call: Call, request: msgspec.Struct) -> msgspec.Struct:
            shown.append(await self._tokens(call, self._name))
            return Health("cron", "ready")

    monkeypatch.setattr("argosy.host.composition.clients.RemoteService", Noting)
    installation = SimpleNamespace(endpoint=lambda service: "http://cron.invalid")
    clients = ServiceClients("gateway", installation, {}, Socket(), None)  # type: ignore[arg-type]
    left, entered = (
        Principal("user", "u", "Ada", account, credential="session:s") for account in ("a" * 24, "b" * 24)
    )
    clients.remember(Exchanged("entered", time.time() + 60, entered), "cron")
    clients.remember(Exchanged("left", time.time() + 60, left), "cron")

    for who in (entered, left):
        call = Call(who, "r", time.time() + 10)
        await clients.hosted("cron").health(call=call, request=Nothing())

    assert shown == ["entered", "left"]
