"""A REST route is one line of data: method, path, the contract's method that answers, and how it looks on the wire.

Contracts list their routes beside their Protocol, so the gateway (which serves them), the OpenAPI document and
the authorization matrix read the same table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Shape = Literal["json", "text", "sse", "download"]


@dataclass(frozen=True, slots=True)
class Route:
    """`{name}` in the path fills the request's field of that name; so do the query and, for writes, the JSON body.

    `shape`: "json" answers the response Struct; "text" answers the field `takes` bare; "sse" sends each item of a
    stream as an event; "download" sends the stream's `data` bytes as a file.
    """

    method: Method
    path: str
    operation: str
    tag: str
    shape: Shape = "json"
    takes: str = ""
    ignores: tuple[str, ...] = ()  # query parameters that compatible clients send and we need not


def route(
    method: Method,
    path: str,
    operation: str,
    tag: str,
    shape: Shape = "json",
    takes: str = "",
    ignores: tuple[str, ...] = (),
) -> Route:
    return Route(method, path, operation, tag, shape, takes, ignores)
