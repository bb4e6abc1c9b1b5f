"""The answers to a patch that cannot be applied.

Upstream answers some bad strategic patches with 500, because its errors are of no particular kind. Its words are kept;
the code is 400, for it is the patch that is wrong.
"""

from __future__ import annotations

from argosy.kube.errors import ApiError, bad_request, bare

MOST_OPERATIONS = 10_000
MOST_COPIED = 3 * 1024 * 1024
"""By all copies of one JSON patch together, in bytes: each may double the object."""


def malformed(message: str) -> ApiError:
    """400: it is no patch of its kind."""
    return bad_request(message)


def inapplicable() -> ApiError:
    """422: it does not fit the object. What exactly does not fit, clients are not told."""
    return bare(422, "Invalid", "the server rejected our request due to an error in our request")


def too_many(count: int) -> ApiError:
    return ApiError(
        413,
        "RequestEntityTooLarge",
        "Request entity too large: The allowed maximum operations in a JSON patch is "
        f"{MOST_OPERATIONS}, got {count}",
    )
