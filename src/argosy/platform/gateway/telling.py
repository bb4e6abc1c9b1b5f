"""What a caller is told of an error: `detail` (a database's host, role, the system's own words) is for administrators of
the installation alone. Everybody else gets the plain sentence; the log has all of it under the same request id."""

from __future__ import annotations

import msgspec

from argosy.backends.hosting.dispatch import scope_covers
from argosy.kit.calls import ANONYMOUS, Principal
from argosy.kit.errors import ArgosyError, ErrorBody


def body_for(error: ArgosyError, request_id: str, who: Principal = ANONYMOUS) -> ErrorBody:
    body = error.body(request_id)
    if who.platform_admin and scope_covers(who.scopes, "system:read"):
        return body
    return msgspec.structs.replace(body, detail="")
