"""Names that wait to be looked at."""

from __future__ import annotations

import asyncio

import pytest

from argosy.kube.errors import conflict
from argosy.kube.reconcile import Loop, Name
from argosy.kube.reconcile.queue import WorkQueue

ONE, OTHER = ("ns", "one"), ("ns", "other")


async def test_a_name_waits_only_once() -> None:
    queue = WorkQueue(longest_rest=1)
    for name in (ONE, OTHER, ONE):
        queue.add(name)
    assert [await queue.take(), await queue.take(), len(queue)] == [ONE, OTHER, 2]


async def test_nobody_looks_at_a_name_that_somebody_looks_at() -> None:
    queue = WorkQueue(longest_rest=1)
    queue.add(ONE)
    await queue.take()
    queue.add(ONE)
    queue.add(OTHER)
    assert await queue.take() == OTHER
    queue.done(ONE, 0)
    assert await queue.take() == ONE


async def test_of_two_times_the_earlier_counts() -> None:
    queue = WorkQueue(longest_rest=1)
    queue.add_after(ONE, 3600)
    queue.add_after(ONE, 0)
    async with asyncio.timeout(5):
        assert await queue.take() == ONE
    queue.close()


async def test_pauses_grow_with_failures_in_a_row() -> None:
    queue = WorkQueue(longest_rest=1)
    pauses = [queue.retry(ONE) for _ in range(12)]
    assert pauses[0] <= 0.02
    assert 20 < pauses[-1] <= 60
    queue.succeeded(ONE)
    assert queue.retry(ONE) <= 0.02
    queue.close()


async def test_a_name_that_takes_long_rests() -> None:
    queue = WorkQueue(longest_rest=60)
    queue.add(ONE)
    await queue.take()
    queue.done(ONE, 30)
    queue.add(ONE)
    queue.add(OTHER)
    assert await queue.take() == OTHER
    assert len(queue) == 1, "the one rests"
    queue.close()


@pytest.mark.parametrize("error", [conflict("pods", "one", "stale"), KeyError("a bug")])
async def test_an_error_ends_nothing_and_is_tried_again(error: Exception) -> None:
    seen: list[Name] = []
    done = asyncio.Event()

    async def look(name: Name) -> None:
        seen.append(name)
        if len(seen) < 3:
            raise error
        done.set()

    loop = Loop("test", look)
    loop.add(ONE)
    running = asyncio.ensure_future(loop.run())
    async with asyncio.timeout(10):
        await done.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert seen == [ONE] * 3
