"""What the audit log is told of a call that got nowhere: denied and failed are not the same."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Protocol

import pytest

from argosy.backends.database import Database
from argosy.backends.events import Outbox
from argosy.backends.hosting import Recorder
from argosy.backends.hosting.dispatch import Dispatcher
from argosy.contracts.audit import Kind
from argosy.kit.calls import Call, Principal
from argosy.kit.errors import Forbidden, Unavailable
from argosy.kit.operations import Needs, Nothing, operation, operations


class Things(Protocol):
    @operation(needs=Needs.ADMIN, resource="thing")
    async def look(self, *, call: Call, request: Nothing) -> Nothing: ...

    @operation(needs=Needs.ADMIN, resource="thing")
    def follow(self, *, call: Call, request: Nothing) -> AsyncIterator[Nothing]: ...


class Noted(Recorder):
    def __init__(self) -> None:
        database = Database("", service="things")
        super().__init__("things", database, Outbox(database))
        self.results: list[str] = []

    def note(self, call: Call, kind: Kind, result: str, resource: str, resource_id: str, error: str) -> None:
        self.results.append(f"{kind} {result} {error}")


def by(*, admin: bool) -> Call:
    return Call(Principal(kind="user", id="6" * 24, account="a" * 24, admin=admin), "r", time.time() + 5)


async def ask(dispatcher: Dispatcher, name: str, call: Call) -> None:
    what = dispatcher.operation(name)
    if what.streams:
        async for _ in dispatcher.stream(what, call, Nothing()):
            pass
    else:
        await dispatcher.call(what, call, Nothing())


@pytest.mark.parametrize("name", ["look", "follow"])
async def test_who_may_not_is_denied_and_who_meets_an_outage_has_failed(name: str) -> None:
    noted = Noted()
    dispatcher = Dispatcher("things", operations(Things), noted)
    with pytest.raises(Forbidden):
        await ask(dispatcher, name, by(admin=False))
    with pytest.raises(Unavailable):
        await ask(dispatcher, name, by(admin=True))

    assert noted.results == ["read denied auth.admin", "read failed service.unavailable"]
