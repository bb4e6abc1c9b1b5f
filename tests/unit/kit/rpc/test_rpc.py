"""Calls between processes: the same contract, the same answers and errors, whether local or over a socket."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import aiohttp
import msgspec
import pytest

from argosy.backends.hosting.dispatch import Dispatcher
from argosy.kit.calls import Call, Principal, service_call, service_principal
from argosy.kit.errors import (
    ArgosyError,
    Conflict,
    DeadlineExceeded,
    Internal,
    NotFound,
    TooMany,
    Unauthenticated,
    Unavailable,
)
from argosy.kit.operations import Needs, Nothing, operation, operations
from argosy.kit.rpc.client import LocalService, RemoteService, Upstream, proxy
from argosy.kit.rpc.server import Claimed, RpcApp
from argosy.kit.web.listeners import listener, unix_socket


class Word(msgspec.Struct, frozen=True):
    text: str


class Who(msgspec.Struct, frozen=True):
    id: str
    service: str
    request_id: str


class Echo(Protocol):
    @operation(needs=Needs.SERVICE, callers=("tester",))
    async def say(self, *, call: Call, request: Word) -> Word: ...

    @operation(needs=Needs.SERVICE, callers=("tester",))
    async def who(self, *, call: Call, request: Nothing) -> Who: ...

    @operation(needs=Needs.SERVICE, callers=("tester",), writes=True)
    async def write(self, *, call: Call, request: Word) -> Nothing: ...

    @operation(needs=Needs.SERVICE, callers=("tester",), deadline=0.2)
    async def sleep(self, *, call: Call, request: Nothing) -> Nothing: ...

    @operation(needs=Needs.SERVICE, callers=("tester",))
    def count(self, *, call: Call, request: Word) -> AsyncIterator[Word]: ...


class EchoApi:
    def __init__(self) -> None:
        self.stream_ended = asyncio.Event()

    async def say(self, *, call: Call, request: Word) -> Word:
        match request.text:
            case "conflict":
                raise Conflict(
                    "there already", code="echo.there", cure="choose another", context={"field": "text"}
                )
            case "too many":
                raise TooMany("slow down", retry_after=7)
            case "bug":
                raise KeyError("secret detail")
            case text:
                return Word(text)

    async def who(self, *, call: Call, request: Nothing) -> Who:
        return Who(call.principal.id, call.service, call.request_id)

    async def sleep(self, *, call: Call, request: Nothing) -> Nothing:
        await asyncio.sleep(60)
        return Nothing()

    async def count(self, *, call: Call, request: Word) -> AsyncIterator[Word]:
        try:
            yield Word("1")
            yield Word("2")
            if request.text == "fail":
                raise Conflict("in the middle", code="echo.middle")
            if request.text == "forever":
                await asyncio.Event().wait()
        finally:
            self.stream_ended.set()


async def authenticate(token: str, audience: str) -> Claimed:
    if token != f"for {audience}":
        raise Unauthenticated("not a token of this test")
    return Claimed(service_principal("tester"), "tester")


@asynccontextmanager
async def remote(
    folder: Path, dispatcher: Dispatcher, token: str = "for echo"
) -> AsyncIterator[RemoteService]:
    server = listener(RpcApp({"echo": dispatcher}, authenticate))
    serving = asyncio.create_task(server.serve(sockets=[unix_socket(folder / "echo.sock")]))
    await server.listening.wait()

    async def tokens(_call: Call, _audience: str) -> str:
        return token

    async with aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(folder / "echo.sock"))) as session:
        yield RemoteService("echo", "http://unix", session, tokens)
    server.stop()
    await serving


def dispatcher_of(api: EchoApi) -> Dispatcher:
    made = Dispatcher("echo", operations(Echo), None)
    made.ready(api)
    return made


@pytest.fixture(params=["local", "remote"])
async def echo(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Echo, EchoApi]]:
    api = EchoApi()
    dispatcher = dispatcher_of(api)
    if request.param == "local":
        yield proxy(Echo, LocalService(dispatcher, encode=True)), api
    else:
        async with remote(tmp_path, dispatcher) as upstream:
            yield proxy(Echo, upstream), api


async def test_an_answer_comes_back_typed(echo: tuple[Echo, EchoApi]) -> None:
    assert await echo[0].say(call=service_call("tester"), request=Word("ahoy")) == Word("ahoy")


async def test_the_callee_knows_who_asks_and_under_which_request(echo: tuple[Echo, EchoApi]) -> None:
    told = await echo[0].who(call=service_call("tester", request_id="request-1"), request=Nothing())
    assert told == Who("tester", "tester", "request-1")


async def test_a_declared_error_arrives_whole(echo: tuple[Echo, EchoApi]) -> None:
    with pytest.raises(Conflict) as refused:
        await echo[0].say(call=service_call("tester"), request=Word("conflict"))
    error = refused.value
    assert (error.code, error.cure, error.context) == ("echo.there", "choose another", {"field": "text"})


async def test_a_wait_is_told_in_seconds(echo: tuple[Echo, EchoApi]) -> None:
    with pytest.raises(TooMany) as refused:
        await echo[0].say(call=service_call("tester"), request=Word("too many"))
    assert refused.value.context["retry_after"] == 7


async def test_a_bug_is_told_as_ours_without_its_details(echo: tuple[Echo, EchoApi]) -> None:
    with pytest.raises(Internal) as failed:
        await echo[0].say(call=service_call("tester"), request=Word("bug"))
    assert "secret detail" not in str(failed.value)


async def test_a_call_ends_at_its_deadline(echo: tuple[Echo, EchoApi]) -> None:
    started = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        await echo[0].sleep(call=service_call("tester"), request=Nothing())
    assert time.monotonic() - started < 5


async def test_no_time_left_is_no_call(echo: tuple[Echo, EchoApi]) -> None:
    with pytest.raises(DeadlineExceeded):
        await echo[0].say(call=service_call("tester", seconds=-1), request=Word("late"))


async def test_a_stream_gives_its_items_and_ends(echo: tuple[Echo, EchoApi]) -> None:
    items = [item.text async for item in echo[0].count(call=service_call("tester"), request=Word(""))]
    assert items == ["1", "2"]


async def test_an_error_in_a_stream_arrives_after_the_items_before_it(echo: tuple[Echo, EchoApi]) -> None:
    items = echo[0].count(call=service_call("tester"), request=Word("fail"))
    assert [(await anext(items)).text, (await anext(items)).text] == ["1", "2"]
    with pytest.raises(Conflict) as refused:
        await anext(items)
    assert refused.value.code == "echo.middle"


async def test_a_reader_that_leaves_ends_the_stream_at_its_source(echo: tuple[Echo, EchoApi]) -> None:
    items = echo[0].count(call=service_call("tester"), request=Word("forever"))
    assert (await anext(items)).text == "1"
    await items.aclose()  # type: ignore[attr-defined]
    await asyncio.wait_for(echo[1].stream_ended.wait(), 10)


async def test_a_false_token_is_refused(tmp_path: Path) -> None:
    async with remote(tmp_path, dispatcher_of(EchoApi()), token="for another") as upstream:
        with pytest.raises(Unauthenticated):
            await proxy(Echo, upstream).say(call=service_call("tester"), request=Word("x"))


async def test_a_service_that_is_away_is_unavailable(tmp_path: Path) -> None:
    async def tokens(_call: Call, _audience: str) -> str:
        return "any"

    async with aiohttp.ClientSession(
        connector=aiohttp.UnixConnector(str(tmp_path / "nobody.sock"))
    ) as session:
        away = proxy(Echo, RemoteService("echo", "http://unix", session, tokens))
        with pytest.raises(Unavailable) as refused:
            await away.say(call=service_call("tester"), request=Word("x"))
    assert refused.value.code == "service.unavailable"


async def test_a_write_that_was_sent_and_not_answered_may_have_been_done(tmp_path: Path) -> None:
    asked: list[bytes] = []

    async def dies(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n"))
        writer.close()

    async def tokens(_call: Call, _audience: str) -> str:
        return "any"

    path = str(tmp_path / "dying.sock")
    async with (
        await asyncio.start_unix_server(dies, path),
        aiohttp.ClientSession(connector=aiohttp.UnixConnector(path)) as session,
    ):
        dying = proxy(Echo, RemoteService("echo", "http://unix", session, tokens))
        codes = []
        for call in (
            service_call("tester"),
            msgspec.structs.replace(service_call("tester"), idempotency_key="k"),
        ):
            with pytest.raises(Unavailable) as refused:
                await dying.write(call=call, request=Word("x"))
            codes.append(refused.value.code)

    assert codes == ["service.outcome_unknown", "service.unavailable"]
    assert len(asked) == 3  # with a key it is tried again at once, as it cannot be done twice


@pytest.mark.parametrize(
    ("who", "kind"),
    [(service_principal("stranger"), ArgosyError), (Principal(kind="user", id="u", account="a"), NotFound)],
)
async def test_in_process_the_same_rights_are_checked(who: Principal, kind: type[ArgosyError]) -> None:
    upstream: Upstream = LocalService(dispatcher_of(EchoApi()))
    call = Call(principal=who, request_id="r", deadline=time.time() + 1)
    with pytest.raises(kind):
        await proxy(Echo, upstream).say(call=call, request=Word("x"))


async def test_a_service_that_is_not_ready_says_what_it_waits_for() -> None:
    dispatcher = Dispatcher("echo", operations(Echo), None)
    dispatcher.not_ready("the database of echo does not answer")
    with pytest.raises(Unavailable, match="does not answer"):
        await proxy(Echo, LocalService(dispatcher)).say(call=service_call("tester"), request=Word("x"))
