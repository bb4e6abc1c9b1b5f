"""How a verb of the command line asks the running services: as the part `host`, over the same internal sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from argosy.host.composition.clients import Connections, ServiceClients
from argosy.host.composition.first_run import HOST
from argosy.host.installation import Installation
from argosy.host.paths import DataDir
from argosy.kit.tokens import ServiceKey

T = TypeVar("T")


def ask(data: DataDir, question: Callable[[ServiceClients], Awaitable[T]]) -> T:
    async def asking() -> T:
        connections = Connections()
        try:
            key = ServiceKey.load(data.secrets, HOST)
            return await question(ServiceClients(HOST, Installation(data), {}, connections, key))
        finally:
            await connections.close()

    return asyncio.run(asking())
