"""Kubernetes' errors: what a `Status` object says, as an exception.

The server raises them and answers `status()`; the client reads an answer back with `from_status`. Clients branch on
`reason` and print `message`, so both are word for word what a real API server says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from argosy.kube.objects import Object

_MOST_CAUSES = 1000
_MOST_TOLD = 1_000_000
"""Characters of all messages together."""


class Cause(NamedTuple):
    """One thing wrong with one field. `reason` is `FieldValueInvalid`, `FieldValueRequired`, `FieldValueNotSupported`,
    `FieldValueDuplicate`, `FieldValueForbidden`, `FieldValueTooLong`, `FieldValueTooMany`, `FieldValueTypeInvalid`, …"""

    reason: str
    message: str
    field: str


class ApiError(Exception):
    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        *,
        name: str = "",
        group: str = "",
        kind: str = "",
        uid: str = "",
        causes: Sequence[Cause] = (),
        retry_after: int = 0,
    ) -> None:
        super().__init__(message)
        self.code, self.reason, self.message = code, reason, message
        self.name, self.group, self.kind, self.uid = name, group, kind, uid
        self.causes = tuple(causes)
        self.retry_after = retry_after
        self.bare = False
        """Whether `details` stands there with nothing in it, as upstream leaves it here and there."""
        self.continues = ""
        """Of an expired list: where it may go on."""

    def status(self) -> Object:
        details: Object = {
            key: value
            for key, value in (
                ("name", self.name),
                ("group", self.group),
                ("kind", self.kind),
                ("uid", self.uid),
                ("causes", [_cause(cause) for cause in self.causes]),
                ("retryAfterSeconds", self.retry_after),
            )
            if value
        }
        status: Object = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {"continue": self.continues} if self.continues else {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
        }
        if details or self.bare:
            status["details"] = details
        return {**{key: value for key, value in status.items() if value != ""}, "code": self.code}


def _cause(cause: Cause) -> Object:
    return {
        key: value
        for key, value in (("reason", cause.reason), ("message", cause.message), ("field", cause.field))
        if value
    }


def from_status(status: Object, *, code: int = 0) -> ApiError:
    details = status.get("details") or {}
    return ApiError(
        int(status.get("code") or code),
        str(status.get("reason", "")),
        str(status.get("message", "")),
        name=details.get("name", ""),
        group=details.get("group", ""),
        kind=details.get("kind", ""),
        uid=details.get("uid", ""),
        causes=[
            Cause(one.get("reason", ""), one.get("message", ""), one.get("field", ""))
            for one in details.get("causes") or ()
        ],
        retry_after=int(details.get("retryAfterSeconds") or 0),
    )


def not_found(plural: str, name: str, *, group: str = "") -> ApiError:
    return ApiError(
        404,
        "NotFound",
        f'{_qualified(plural, group)} "{name}" not found',
        name=name,
        group=group,
        kind=plural,
    )


def already_exists(plural: str, name: str, *, group: str = "") -> ApiError:
    message = f'{_qualified(plural, group)} "{name}" already exists'
    return ApiError(409, "AlreadyExists", message, name=name, group=group, kind=plural)


def conflict(plural: str, name: str, why: str, *, group: str = "", causes: Sequence[Cause] = ()) -> ApiError:
    message = f'Operation cannot be fulfilled on {_qualified(plural, group)} "{name}": {why}'
    return ApiError(409, "Conflict", message, name=name, group=group, kind=plural, causes=causes)


STALE = "the object has been modified; please apply your changes to the latest version and try again"


def invalid(kind: str, name: str, causes: Sequence[Cause], *, group: str = "") -> ApiError:
    """422. `kind` is the kind (`Deployment`), not the plural. Causes say `Invalid value: …`; the field stands before. What is found twice is told
    once; after a thousand causes nobody reads on, and three megabytes of mistakes would make a hundred of answer."""
    sizes = accumulate(len(cause.message) for cause in causes)
    causes = causes[: max(1, min(bisect_right(list(sizes), _MOST_TOLD), _MOST_CAUSES))]
    told = list(
        dict.fromkeys(f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes)
    )
    listed = told[0] if len(told) == 1 else "[" + ", ".join(told) + "]"
    message = (
        f'{kind}.{group} "{name}" is invalid: {listed}' if group else f'{kind} "{name}" is invalid: {listed}'
    )
    return ApiError(422, "Invalid", message, name=name, group=group, kind=kind, causes=causes)


def bad_request(message: str) -> ApiError:
    return ApiError(400, "BadRequest", message)


def unauthorized(message: str = "Unauthorized") -> ApiError:
    return ApiError(401, "Unauthorized", message)


def forbidden(message: str, *, plural: str = "", name: str = "", group: str = "") -> ApiError:
    return ApiError(403, "Forbidden", message, name=name, group=group, kind=plural)


def method_not_allowed() -> ApiError:
    return bare(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")


def no_such_resource() -> ApiError:
    return bare(404, "NotFound", "the server could not find the requested resource")


def bare(code: int, reason: str, message: str) -> ApiError:
    """With details that say nothing."""
    error = ApiError(code, reason, message)
    error.bare = True
    return error


def not_acceptable(accepted: Sequence[str]) -> ApiError:
    return ApiError(
        406, "NotAcceptable", f"only the following media types are accepted: {', '.join(accepted)}"
    )


def unsupported_media_type(accepted: Sequence[str]) -> ApiError:
    message = (
        "the body of the request was in an unknown format - "
        f"accepted media types include: {', '.join(accepted)}"
    )
    return ApiError(415, "UnsupportedMediaType", message)


def too_large(message: str) -> ApiError:
    return ApiError(413, "RequestEntityTooLarge", message)


def expired(message: str) -> ApiError:
    """410: a resourceVersion or continue token older than what is kept. The client lists again."""
    return ApiError(410, "Expired", message)


def timeout(message: str, *, retry_after: int = 0) -> ApiError:
    return ApiError(504, "Timeout", message, retry_after=retry_after)


def too_many_requests(message: str, *, retry_after: int = 0) -> ApiError:
    return ApiError(429, "TooManyRequests", message, retry_after=retry_after)


def unavailable(message: str) -> ApiError:
    return ApiError(503, "ServiceUnavailable", message)


def internal(message: str) -> ApiError:
    return ApiError(500, "InternalError", f"Internal error occurred: {message}")


def _qualified(plural: str, group: str) -> str:
    return f"{plural}.{group}" if group else plural
