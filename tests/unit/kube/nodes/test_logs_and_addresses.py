"""The little that simulated pods have to say, and where they are."""

from __future__ import annotations

import asyncio

import pytest

from argosy.kube.kubelet import LogOptions
from argosy.kube.nodes.simulation.addresses import Addresses
from argosy.kube.nodes.simulation.logs import lines
from argosy.kube.nodes.simulation.wishes import behaviour
from argosy.kube.objects import Object

STARTED = "2026-05-04T12:00:00Z"
POD: Object = {
    "metadata": {"name": "it"},
    "spec": {},
    "status": {"containerStatuses": [{"name": "main", "state": {"running": {"startedAt": STARTED}}}]},
}


async def read(**options: object) -> bytes:
    ended = asyncio.Event()
    ended.set()
    asked = LogOptions("main", **options)  # type: ignore[arg-type]
    return b"".join([one async for one in lines(POD, asked, ended)])


async def test_the_log_is_one_line_that_says_so() -> None:
    said = await read()
    assert (said.count(b"\n"), b"simulated" in said) == (1, True)
    assert (await read(timestamps=True)).startswith(STARTED.encode())


@pytest.mark.parametrize("options", [{"tail": 0}, {"since": "2026-05-04T12:00:01Z"}, {"most_bytes": 0}])
async def test_what_was_not_asked_for_is_not_said(options: dict[str, object]) -> None:
    assert await read(**options) == b""


async def test_who_follows_is_let_go_when_the_pod_ends() -> None:
    ended = asyncio.Event()
    followed = lines(POD, LogOptions("main", follow=True), ended)
    assert b"simulated" in await anext(followed)
    rest = asyncio.ensure_future(anext(followed, b"the end"))
    await asyncio.sleep(0)
    assert not rest.done()
    ended.set()
    assert await rest == b"the end"


def test_no_two_pods_have_the_same_address() -> None:
    addresses = Addresses()
    first = addresses.take("10.244.0.1")
    others = [addresses.take() for _ in range(300)]
    assert len({first, *others}) == 301
    addresses.give_back(first)
    assert addresses.take("10.244.0.1") == first


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5s", 5), ("1m30s", 90), ("500ms", 0.5), ("7", 7), ("soon", 0), ("", 0), ("-3s", 0)],
)
def test_delays_are_read_as_durations(text: str, seconds: float) -> None:
    pod = {"metadata": {"annotations": {"argosy.io/simulate-pull": text}}, "spec": {}}
    assert behaviour(pod, "app:1").pull == seconds
