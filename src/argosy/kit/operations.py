"""What a contract says of each of its methods besides the types: who may call it, what it touches, how long it may take.

`contracts/*` decorate Protocol methods with `@operation(...)`; everything else is derived from that: REST routes
and OpenAPI (`kit.web`), RPC in and out (`kit.rpc`), the check of rights (`backends.hosting.dispatch`) and the
authorization matrix (`tests/security`). Every method is `async def name(self, *, call: Call, request: R) -> S`,
or for a stream `def name(self, *, call: Call, request: R) -> AsyncIterator[S]`.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

import msgspec

F = TypeVar("F", bound=Callable[..., Any])


class Needs(StrEnum):
    """The least that a caller must be. Rules on single resources are decided inside the method, by `domain.access`."""

    SERVICE = "service"  # only parts of the platform, those named in `callers`
    SIGNED_IN = "signed_in"
    ADMIN = "admin"
    PLATFORM_ADMIN = "platform_admin"


class Nothing(msgspec.Struct, frozen=True):
    """For a method that is asked nothing, or has nothing to tell but that it is done."""


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    needs: Needs
    scope: str  # the API-key scope it asks for: "users:read"; empty: any key
    resource: str  # what the audit log calls the thing: "user", "team"
    writes: bool
    deadline: float
    errors: tuple[str, ...]
    callers: tuple[str, ...]
    request: type[msgspec.Struct]
    response: type[Any]
    streams: bool
    summary: str


@dataclass(frozen=True, slots=True)
class _Declared:
    needs: Needs
    scope: str
    resource: str
    writes: bool
    deadline: float
    errors: tuple[str, ...]
    callers: tuple[str, ...]


def operation(
    *,
    needs: Needs,
    scope: str = "",
    resource: str = "",
    writes: bool = False,
    deadline: float = 10.0,
    errors: tuple[str, ...] = (),
    callers: tuple[str, ...] = (),
) -> Callable[[F], F]:
    def mark(method: F) -> F:
        declared = _Declared(needs, scope, resource, writes, deadline, errors, callers)
        method.__operation__ = declared  # type: ignore[attr-defined]
        return method

    return mark


@cache
def operations(contract: type) -> dict[str, Operation]:
    """The operations of a contract by name, in the order they are written."""
    found: dict[str, Operation] = {}
    for name, method in vars(contract).items():
        declared: _Declared | None = getattr(method, "__operation__", None)
        if declared is None:
            continue
        hints = typing.get_type_hints(method)
        response = hints["return"]
        streams = typing.get_origin(response) is AsyncIterator
        found[name] = Operation(
            name=name,
            needs=declared.needs,
            scope=declared.scope,
            resource=declared.resource,
            writes=declared.writes,
            deadline=declared.deadline,
            errors=declared.errors,
            callers=declared.callers,
            request=hints["request"],
            response=typing.get_args(response)[0] if streams else response,
            streams=streams,
            summary=(inspect.getdoc(method) or "").partition("\n")[0],
        )
    return found
