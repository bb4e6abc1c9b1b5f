"""What charts may ask about a cluster: its version, and which kinds it serves (`.Capabilities`).

Asked of the cluster's discovery and believed for a while; while the cluster is away, what was known of it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import msgspec

from argosy.kube.client import Client
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object

_BELIEVED, _PATIENCE = 60.0, 5.0
_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
_DECODE = msgspec.json.Decoder(Object)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """`apis` are `group/version` and `group/version/Kind`, sorted."""

    version: str = ""
    apis: tuple[str, ...] = ()


class Asking:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._known = Capabilities()
        self._until = 0.0
        self._turn = asyncio.Lock()

    async def capabilities(self) -> Capabilities:
        async with self._turn:
            now = asyncio.get_running_loop().time()
            if now >= self._until:
                self._until = now + _BELIEVED
                try:
                    async with asyncio.timeout(_PATIENCE):
                        found = await _ask(self._client)
                except (ApiError, TimeoutError):
                    return self._known  # the comparison that follows says why it is away
                if found != self._known:
                    self._known = found
            return self._known


async def _ask(client: Client) -> Capabilities:
    version = await client.version()
    served: set[str] = set()
    for root in ("/api", "/apis"):
        answer = await client.request("GET", root, accept=_AGGREGATED)
        assert isinstance(answer.body, bytes)
        said = _DECODE.decode(answer.body)
        served |= _served(said)
    return Capabilities(f"{version.get('major', '')}.{version.get('minor', '')}", tuple(sorted(served)))


def _served(said: Object) -> set[str]:
    """Of servers that list only groups, their versions without kinds."""
    found = {str(one) for one in said.get("versions") or ()}
    for group in said.get("groups") or ():
        found |= {one["groupVersion"] for one in group.get("versions") or ()}
    for item in said.get("items") or ():
        name = (item.get("metadata") or {}).get("name", "")
        for one in item.get("versions") or ():
            version = f"{name}/{one['version']}" if name else str(one["version"])
            kinds = [(each.get("responseKind") or {}).get("kind") for each in one.get("resources") or ()]
            found |= {version, *(f"{version}/{kind}" for kind in kinds if kind)}
    return found
