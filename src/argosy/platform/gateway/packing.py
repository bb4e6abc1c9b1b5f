"""Whether an answer goes out packed: only to who takes gzip, read as RFC 9110 §12.5.3 has it (`q=0` is a no)."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_NAME = b"accept-encoding"
GIT = "/git/"


def takes_gzip(accepted: str) -> bool:
    """What is named counts before `*`; who says nothing gets it plain."""
    weights = dict(_weighed(item) for item in accepted.lower().split(",") if item.strip())
    return next((weights[coding] for coding in ("gzip", "x-gzip", "*") if coding in weights), 0.0) > 0


class Packing:
    """In front of all answers. What follows finds the one word `gzip` or `identity`, so nobody reads the list again."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = GZipMiddleware(app, minimum_size=1024, compresslevel=5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            said = Headers(scope=scope).getlist(_NAME.decode())
            # What git is sent is packed already, and must not wait for a full block.
            packs = takes_gzip(",".join(said)) and not scope.get("path", "").startswith(GIT)
            chosen = b"gzip" if packs else b"identity"
            kept = [pair for pair in scope["headers"] if pair[0] != _NAME]
            scope = {**scope, "headers": [*kept, (_NAME, chosen)]}
        await self._app(scope, receive, send)


def _weighed(item: str) -> tuple[str, float]:
    coding, *parameters = (part.strip() for part in item.split(";"))
    weight = next((value.strip() for name, _, value in map(_halves, parameters) if name == "q"), "1")
    try:
        return coding, float(weight)
    except ValueError:
        return coding, 0.0  # a weight that cannot be read is no consent


def _halves(parameter: str) -> tuple[str, str, str]:
    name, equals, value = parameter.partition("=")
    return name.strip(), equals, value
