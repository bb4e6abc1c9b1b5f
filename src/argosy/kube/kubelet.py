"""What an API server asks of the nodes: the log of a container, and where a port of a pod can be reached.

`nodes` implements it, `server` asks it, `host` brings them together.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from argosy.kube.objects import Object


@dataclass(frozen=True, slots=True)
class LogOptions:
    container: str
    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    tail: int | None = None
    since: str = ""
    """RFC 3339; lines before it are left out."""
    most_bytes: int | None = None


class Kubelet(Protocol):
    def logs(self, pod: Object, asked: LogOptions) -> AsyncIterator[bytes]: ...

    def address(self, pod: Object, port: int) -> tuple[str, int] | None:
        """None: nobody listens there, as with every simulated pod."""
        ...

    def reachable(self, host: str, port: int) -> bool:
        """Whether the proxy may connect to an endpoint that is no pod: only what the platform itself has published."""
        ...
