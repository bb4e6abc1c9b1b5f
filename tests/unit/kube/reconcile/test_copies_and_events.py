"""Copies that know what was written, and events that do not flood."""

from __future__ import annotations

import asyncio

import msgspec

from argosy.kube.client import Client, in_process
from argosy.kube.objects import Object
from argosy.kube.reconcile import Copy, Events
from argosy.kube.reconcile.events import Events as Recorder
from argosy.kube.reconcile.kinds import POD
from argosy.kube.wire import Request, Response


def pod(name: str, revision: int, *, owner: str = "") -> Object:
    metadata: Object = {
        "name": name,
        "namespace": "default",
        "uid": f"uid-{name}",
        "resourceVersion": str(revision),
        "managedFields": [{}],
    }
    if owner:
        metadata["ownerReferences"] = [{"uid": owner, "kind": "X", "name": owner, "controller": True}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}


class Server:
    """Answers a list, then what is put into its watch; keeps what is written."""

    def __init__(self, *listed: Object, revision: int = 1) -> None:
        self._listed, self._revision = list(listed), revision
        self.changes: asyncio.Queue[Object] = asyncio.Queue()
        self.written: list[tuple[str, Object]] = []
        self.wrote = asyncio.Event()

    async def handle(self, request: Request) -> Response:
        if request.method != "GET":
            body = msgspec.json.decode(request.body)
            self.written.append((request.method, body))
            self.wrote.set()
            return Response(200, {}, msgspec.json.encode(body))
        if request.parameter("watch"):
            return Response(200, {}, self._watch())
        found = {"metadata": {"resourceVersion": str(self._revision)}, "items": self._listed}
        return Response(200, {}, msgspec.json.encode(found))

    async def _watch(self):
        while True:
            yield msgspec.json.encode(await self.changes.get()) + b"\n"

    def client(self) -> Client:
        return in_process(self.handle, "token")


async def test_a_copy_is_indexed_by_namespace_and_owner() -> None:
    server = Server(pod("a", 1, owner="o"), pod("b", 1))
    copy = Copy(server.client(), POD)
    running = asyncio.ensure_future(copy.run())
    await copy.wait_synced()
    assert [one["metadata"]["name"] for one in copy.owned_by("o")] == ["a"]
    assert [one["metadata"]["name"] for one in copy.orphans("default")] == ["b"]
    assert "managedFields" not in copy.in_namespace("default")[0]["metadata"]

    copy.wrote({"metadata": {"resourceVersion": "7"}})
    waiting = asyncio.ensure_future(copy.caught_up())
    await asyncio.sleep(0)
    assert not waiting.done()
    server.changes.put_nowait({"type": "MODIFIED", "object": pod("b", 7, owner="o")})
    async with asyncio.timeout(5):
        await waiting
    assert (len(copy.owned_by("o")), copy.orphans("default")) == (2, [])

    copy.deleted(pod("a", 1))
    waiting = asyncio.ensure_future(copy.caught_up())
    await asyncio.sleep(0)
    assert not waiting.done()
    server.changes.put_nowait({"type": "DELETED", "object": pod("a", 8, owner="o")})
    async with asyncio.timeout(5):
        await waiting
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def written(events: Recorder, server: Server, count: int) -> list[tuple[str, Object]]:
    running = asyncio.ensure_future(events.run())
    async with asyncio.timeout(5):
        while len(server.written) < count:
            server.wrote.clear()
            await server.wrote.wait()
    for _ in range(20):
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return server.written


async def test_what_repeats_is_counted() -> None:
    server = Server()
    events = Events(server.client(), "test-controller")
    for _ in range(3):
        events.normal(pod("a", 1), "Made", "made it")
    [(method, event)] = await written(events, server, 1)
    assert (method, event["count"], event["source"]) == ("POST", 3, {"component": "test-controller"})
    assert event["involvedObject"]["name"] == "a"
    events.normal(pod("a", 1), "Made", "made it")
    assert (await written(events, server, 2))[1][0] == "PATCH"


async def test_many_alike_become_one() -> None:
    server = Server()
    events = Events(server.client(), "test-controller")
    for number in range(20):
        events.normal(pod("a", 1), "Made", f"made {number}")
    told = [event["message"] for _, event in await written(events, server, 11)]
    assert len(told) == 11
    assert told[-1].startswith("(combined from similar events): ")


async def test_one_object_cannot_flood() -> None:
    server = Server()
    events = Events(server.client(), "test-controller")
    for number in range(100):
        events.warning(pod("a", 1), f"Reason{number}", "again")
    assert len(await written(events, server, 25)) == 25
