"""Errors as values of the domain: a stable code, what is wrong, and what to do about it.

Every boundary (HTTP, RPC, CLI) renders these the same way, so a reader of a log, a script and a person
meet the same words. Raise the narrowest class; services declare their own codes by passing `code`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

import msgspec

Context = Mapping[str, str | int | float | bool | None]


class ErrorBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """The wire form. `status`, `code`, `name`, `message` and `context` are what existing clients read."""

    status: int
    code: str
    name: str
    message: str
    cure: str = ""
    context: dict[str, str | int | float | bool | None] = {}
    request_id: str = ""
    detail: str = ""


class ArgosyError(Exception):
    """What is wrong (`message`), where (`context`), and what to do (`cure`). `detail` is for whoever runs the installation:
    it goes to the log and between the parts, and the gateway shows it to nobody else."""

    status: ClassVar[int] = 500
    default_code: ClassVar[str] = "internal"

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        cure: str = "",
        context: Context | None = None,
        detail: str = "",
    ) -> None:
        super().__init__(f"{message}: {detail}" if detail else message)
        self.message = message
        self.detail = detail
        self.code = code or self.default_code
        self.cure = cure
        self.context = dict(context or {})

    @property
    def told(self) -> str:
        """All of it, for logs and for the machine's owner."""
        return str(self)

    def body(self, request_id: str = "") -> ErrorBody:
        return ErrorBody(
            self.status,
            self.code,
            type(self).__name__,
            self.message,
            self.cure,
            self.context,
            request_id,
            self.detail,
        )


class BadRequest(ArgosyError):
    status, default_code = 400, "bad_request"


class Unauthenticated(ArgosyError):
    status, default_code = 401, "unauthenticated"


class Forbidden(ArgosyError):
    status, default_code = 403, "forbidden"


class NotFound(ArgosyError):
    """Also the answer for what exists but belongs to somebody else: absent and forbidden look the same."""

    status, default_code = 404, "not_found"


class MethodNotAllowed(ArgosyError):
    status, default_code = 405, "method_not_allowed"


class Conflict(ArgosyError):
    status, default_code = 409, "conflict"


class TooLarge(ArgosyError):
    status, default_code = 413, "too_large"


class UnsupportedMedia(ArgosyError):
    status, default_code = 415, "unsupported_media_type"


class Invalid(ArgosyError):
    """Well-formed, but a value is not acceptable; `context["field"]` names it."""

    status, default_code = 422, "invalid"


class TooMany(ArgosyError):
    status, default_code = 429, "rate_limited"

    def __init__(self, message: str, *, retry_after: float, code: str = "", cure: str = "") -> None:
        whole = max(1, math.ceil(retry_after))  # rounded down, who waits as told would be refused again
        super().__init__(message, code=code, cure=cure, context={"retry_after": whole})


class Internal(ArgosyError):
    """A fault of ours. The message is for people; the details are in the log under the request id."""


class Unavailable(ArgosyError):
    status, default_code = 503, "unavailable"


class DeadlineExceeded(ArgosyError):
    status, default_code = 504, "deadline_exceeded"


_KINDS: dict[str, type[ArgosyError]] = {
    kind.__name__: kind
    for kind in (
        BadRequest, Unauthenticated, Forbidden, NotFound, MethodNotAllowed, Conflict, TooLarge,
        UnsupportedMedia, Invalid, Internal, Unavailable, DeadlineExceeded,
    )
}  # fmt: skip


def from_body(body: ErrorBody) -> ArgosyError:
    """The error a remote service declared, as the caller would have met it in process."""
    if body.name == "TooMany":
        seconds = body.context.get("retry_after")
        return TooMany(
            body.message,
            retry_after=float(seconds) if isinstance(seconds, int | float) else 1.0,
            code=body.code,
            cure=body.cure,
        )
    kind = _KINDS.get(body.name, Internal)
    return kind(body.message, code=body.code, cure=body.cure, context=body.context, detail=body.detail)
