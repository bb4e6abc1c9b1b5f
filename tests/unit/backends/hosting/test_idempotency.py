"""A write that is asked twice with one key is done once, and answered as the first time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Protocol

import msgspec
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database
from argosy.backends.database.migrations import migrate
from argosy.backends.events import Outbox
from argosy.backends.hosting import Change, Recorder
from argosy.backends.hosting.dispatch import Dispatcher
from argosy.kit.calls import Call, Principal
from argosy.kit.errors import Conflict
from argosy.kit.ids import new_id
from argosy.kit.operations import Needs, operation, operations
from argosy.kit.rpc.client import LocalService, proxy
from tests.postgres import TestPostgres

ACCOUNT = new_id()


class New(msgspec.Struct, frozen=True):
    name: str


class Made(msgspec.Struct, frozen=True):
    id: str
    name: str
    token: str = ""


class Things(Protocol):
    @operation(needs=Needs.SIGNED_IN, resource="thing", writes=True)
    async def make(self, *, call: Call, request: New) -> Made: ...

    @operation(needs=Needs.SIGNED_IN, resource="thing", writes=True)
    async def make_secret(self, *, call: Call, request: New) -> Made: ...


class ThingsApi:
    """`unique`: as a service with a rule of its own, which a repetition breaks before it comes to the key."""

    def __init__(self, database: Database, recorder: Recorder) -> None:
        self._database, self._recorder = database, recorder
        self.unique = False

    async def make(self, *, call: Call, request: New) -> Made:
        made = Made(new_id(), request.name)
        async with self._database.transaction(call.account) as tx:
            if self.unique and not await tx.execute(
                "INSERT INTO names VALUES ($1) ON CONFLICT DO NOTHING", request.name
            ):
                raise Conflict("there is one already", code="thing.exists")
            await self._recorder.record(tx, call, Change("thing", made.id, made.name, after=made))
        return made

    async def make_secret(self, *, call: Call, request: New) -> Made:
        made = await self.make(call=call, request=request)
        return msgspec.structs.replace(made, token="shown once")


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    with TestPostgres() as server:
        opened = Database(server.new_database(services=["things"])["things"], service="things")
        await opened.open()
        await migrate(opened)
        yield opened
        await opened.close()


@pytest.fixture
def api(database: Database) -> ThingsApi:
    return ThingsApi(database, Recorder("things", database, Outbox(database)))


@pytest.fixture
def things(api: ThingsApi) -> Things:
    dispatcher = Dispatcher("things", operations(Things), api._recorder)
    dispatcher.ready(api)
    return proxy(Things, LocalService(dispatcher, encode=True))


def by(key: str, user: str = "6" * 24) -> Call:
    principal = Principal(kind="user", id=user, account=ACCOUNT)
    return Call(principal=principal, request_id=new_id(), deadline=2e10, idempotency_key=key)


async def made_count(database: Database) -> int:
    async with database.transaction(EVERY_ACCOUNT) as tx:
        return int(await tx.fetchval("SELECT count(*) FROM outbox"))


async def test_the_repetition_gets_the_first_answer_and_does_nothing(
    things: Things, database: Database
) -> None:
    first = await things.make(call=by("k1"), request=New("boat"))
    again = await things.make(call=by("k1"), request=New("boat"))
    assert again == first
    assert await made_count(database) == 1


async def test_without_a_key_each_request_is_its_own(things: Things, database: Database) -> None:
    await things.make(call=by(""), request=New("boat"))
    await things.make(call=by(""), request=New("boat"))
    assert await made_count(database) == 2


async def test_another_request_under_the_same_key_is_a_mistake(things: Things) -> None:
    await things.make(call=by("k1"), request=New("boat"))
    with pytest.raises(Conflict) as refused:
        await things.make(call=by("k1"), request=New("ship"))
    assert refused.value.code == "idempotency.mismatch"


async def test_keys_of_two_people_are_two_keys(things: Things, database: Database) -> None:
    await things.make(call=by("k1"), request=New("boat"))
    await things.make(call=by("k1", user="7" * 24), request=New("boat"))
    assert await made_count(database) == 2


async def test_a_secret_is_not_kept_for_the_repetition(things: Things, database: Database) -> None:
    first = await things.make_secret(call=by("k1"), request=New("boat"))
    with pytest.raises(Conflict) as refused:
        await things.make_secret(call=by("k1"), request=New("boat"))
    assert (refused.value.code, refused.value.context) == ("idempotency.done", {"resource_id": first.id})
    assert await made_count(database) == 1


async def test_of_many_at_once_one_is_done(things: Things, database: Database) -> None:
    results = await asyncio.gather(
        *(things.make(call=by("k1"), request=New("boat")) for _ in range(8)), return_exceptions=True
    )
    assert all(isinstance(one, Made | Conflict) for one in results), results
    assert len({one.id for one in results if isinstance(one, Made)}) == 1
    assert await made_count(database) == 1


async def test_one_that_comes_while_the_first_is_under_way_is_not_told_of_a_clash_with_itself(
    api: ThingsApi, things: Things, database: Database
) -> None:
    api.unique = True
    async with database.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute("CREATE TABLE names (name text PRIMARY KEY)")

    results = await asyncio.gather(
        *(things.make(call=by("k1"), request=New("boat")) for _ in range(8)), return_exceptions=True
    )

    clashes = {one.code for one in results if isinstance(one, Conflict)}
    assert clashes <= {"idempotency.done"}, results
    assert len({one.id for one in results if isinstance(one, Made)}) == 1
    with pytest.raises(Conflict) as refused:
        await things.make(call=by("k2"), request=New("boat"))
    assert refused.value.code == "thing.exists"
