"""A service as data: its name, contract and needs, and one function that builds it from its resources.

The registry of these is the architecture: `argosy serve --list` prints it, a test compares it with the docs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec
from starlette.types import ASGIApp

from argosy.kit.clock import Clock, now

if TYPE_CHECKING:
    from argosy.backends.database import Database
    from argosy.backends.events import Consumer, Outbox
    from argosy.backends.hosting.recording import Recorder
    from argosy.contracts.hosting import Hosted
    from argosy.contracts.identity import Exchanged
    from argosy.kit.rpc.client import Upstream
    from argosy.kit.rpc.passages import Passage

T = TypeVar("T")


class NoSettings(msgspec.Struct, frozen=True):
    """For a service that has nothing to set."""


class Clients(Protocol):
    def __call__(self, contract: type[T]) -> T:
        """The service that implements `contract`: the object itself in this process, else a typed HTTP proxy."""

    def upstream(self, service: str) -> Upstream:
        """The same, untyped: for the gateway, which passes on whatever a route names."""

    def passage(self, service: str) -> Passage:
        """To a service that streams both ways: for the gateway."""

    def hosted(self, service: str) -> Hosted:
        """What every service answers besides its own contract."""

    def remember(self, exchanged: Exchanged, audience: str) -> None:
        """A user's token, to vouch for the calls that follow with that credential (the gateway exchanged it)."""


@dataclass(frozen=True, slots=True)
class Resources:
    """All that a service may use. There is nothing global besides. A service without migrations has no database:
    its `database` refuses every transaction."""

    settings: msgspec.Struct
    database: Database
    outbox: Outbox
    recorder: Recorder
    clients: Clients
    data_dir: Path
    secrets: Path  # 0700; only the files that the service owns
    anchors: Path
    metrics_guard: Callable[[str], None]  # raises unless the Authorization header may read metrics
    clock: Clock = now


@dataclass(frozen=True, slots=True)
class Running:
    """`background` are loops that run until cancelled; the host restarts one that fails, with back-off, and says so."""

    api: object
    app: ASGIApp | None = None  # for a service with a port of its own towards the world
    passages: ASGIApp | None = None  # what streams both ways and is no call (`kit.rpc.passages`)
    consumers: tuple[Consumer, ...] = ()
    background: tuple[Callable[[], Awaitable[None]], ...] = ()
    stopping: Callable[[], None] | None = (
        None  # called when a stop begins, so that open streams end by themselves
    )


@dataclass(frozen=True, slots=True)
class Service:
    name: str
    contract: type
    build: Callable[[Resources], Awaitable[Running]]
    depends_on: tuple[str, ...] = ()  # services it calls
    consumes: tuple[str, ...] = ()  # event types, for the picture; the consumers themselves come from `build`
    settings: type[msgspec.Struct] = field(default=NoSettings)
    migrations: str = ""  # the package that holds NNNN_name.sql; empty: no database
