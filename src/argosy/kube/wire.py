"""A request and its answer, whatever carries them: the server handles these, the client sends them.

The HTTP listener turns connections into them; inside one process the client may hand them over directly, with the same
authentication, rights and bytes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Query: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """`path` is decoded, `headers` have lower-case names. `peer` is the DER form of a client certificate that TLS has
    verified against the cluster's CA, `address` where the call came from."""

    method: str
    path: str
    query: Query = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    rest: Callable[[], Awaitable[bytes]] | None = None
    """Of a body that is still on its way: waits for all of it. Asked for only when who sends it may. Raises ApiError 413."""
    peer: bytes | None = None
    address: str = ""

    def parameter(self, name: str) -> str:
        """The first value, or nothing."""
        return next((value for key, value in self.query if key == name), "")


@dataclass(frozen=True, slots=True)
class Response:
    """A stream is closed (`aclose`) by whoever stops reading it. A header that stands several times has its values on lines of
    their own; so do those of a request that mean something apart (`impersonate-group`)."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | AsyncIterator[bytes] = b""


Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
