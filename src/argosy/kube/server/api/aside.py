"""Work that would hold up everybody else: the interpreter gives others a turn every few milliseconds while a thread does it.

`writing` and `patching` check large definitions with it. It may touch nothing but what it is given.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from argosy.kube.server.api.call import Call

T = TypeVar("T")


async def aside(call: Call, work: Callable[[], T]) -> T:
    """At once where it is little."""
    if (slow := call.served.rules.slow_from) is None:
        return work()
    known = call.cluster.store.latest(call.key()) if call.address.name else None
    size = max(len(call.request.body), len(known.body) if known is not None else 0)
    return await asyncio.to_thread(work) if size >= slow else work()
