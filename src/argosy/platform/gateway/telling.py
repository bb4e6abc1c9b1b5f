"""What a caller is told of an error: `detail` (a database's host, role, the system's own words) is for administrators of
the installation alone. Everybody else gets the plain sentence; the log has all of it under the same request id."""

from __future__ import annotations

import math

import msgspec
from starlette.responses import Response

from argosy.backends.hosting.dispatch import scope_covers
from argosy.kit.calls import ANONYMOUS, Principal
from argosy.kit.errors import ArgosyError, ErrorBody, TooMany, Unauthenticated


def body_for(error: ArgosyError, request_id: str, who: Principal = ANONYMOUS) -> ErrorBody:
    body = error.body(request_id)
    if who.platform_admin and scope_covers(who.scopes, "system:read"):
        return body
    return msgspec.structs.replace(body, detail="")


def nobody() -> Unauthenticated:
    return Unauthenticated(
        "nobody is signed in", code="auth.required", cure="sign in, or send `Authorization: <API key>`"
    )


def too_many(wait: float) -> TooMany:
    return TooMany(f"too many requests; one more is possible in {math.ceil(wait)} s", retry_after=wait)


def failed(error: ArgosyError, request_id: str, who: Principal = ANONYMOUS) -> Response:
    headers = {"cache-control": "no-store"}
    if (seconds := error.context.get("retry_after")) is not None:
        headers["retry-after"] = str(seconds)
    if error.status == 401:
        headers["www-authenticate"] = 'Bearer realm="argosy"'
    body = msgspec.json.encode(body_for(error, request_id, who))
    return Response(body, error.status, headers, "application/json")
