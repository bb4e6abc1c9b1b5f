"""No transaction is open across a call: whoever tries is told, instead of holding locks while another part thinks."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database
from argosy.contracts.hosting import Health, Hosted
from argosy.host.composition.clients import OutsideTransactions
from argosy.kit.calls import Call, service_call
from argosy.kit.errors import Internal
from argosy.kit.operations import Nothing, Operation
from argosy.kit.rpc.client import Upstream, proxy
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
