"""The log of a simulated container: one line that says so, and with `follow` silence until the pod ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from argosy.kube.kubelet import LogOptions
from argosy.kube.objects import Object
from argosy.kube.reconcile.times import parse, stamp

_LINE = "This container is simulated: nothing runs here, and this is its whole log."


async def lines(pod: Object, asked: LogOptions, ended: asyncio.Event) -> AsyncIterator[bytes]:
    since = _start(pod, asked)
    text = f"{since} {_LINE}\n" if asked.timestamps else f"{_LINE}\n"
    if asked.tail != 0 and not _is_before(since, asked.since):
        written = text.encode()
        yield written if asked.most_bytes is None else written[: asked.most_bytes]
    if asked.follow and not asked.previous:
        await ended.wait()


def _start(pod: Object, asked: LogOptions) -> str:
    status = pod.get("status") or {}
    found = [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]
    container: Object = next((one for one in found if one["name"] == asked.container), {})
    state = container.get("lastState" if asked.previous else "state") or {}
    run = state.get("running") or state.get("terminated") or {}
    return str(run.get("startedAt") or status.get("startTime") or stamp())


def _is_before(moment: str, limit: str) -> bool:
    one, other = parse(moment), parse(limit)
    return one is not None and other is not None and one < other
