"""What a node has to be able to do. `fleet` asks it; simulated nodes are the first kind, processes and containers may follow."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from argosy.kube.kubelet import LogOptions
from argosy.kube.objects import Object


class Node(Protocol):
    @property
    def name(self) -> str: ...

    def description(self) -> Object:
        """The Node object, with its status."""
        ...

    async def look(self, pod: Object) -> float | None:
        """Brings the pod one step nearer to what it shall be and says so in its status. Level-based: called at every change, and
        again after the seconds that it answers."""
        ...

    def forget(self, pod: Object) -> None:
        """The pod is gone."""
        ...

    def logs(self, pod: Object, asked: LogOptions) -> AsyncIterator[bytes]: ...

    def address(self, pod: Object, port: int) -> tuple[str, int] | None:
        """Where a port of the pod can be reached from this process."""
        ...
