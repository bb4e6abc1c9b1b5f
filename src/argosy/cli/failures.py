"""How a command ends: an exit status a script can rely on, and at most three lines on stderr.

The lines have the form of the host's verbs, so that all of `argosy` speaks alike: what, where, do this.
"""

from __future__ import annotations

from argosy.cli.terminal import plain

OK, FAILED, USAGE = 0, 1, 2
NOT_SIGNED_IN, FORBIDDEN, NOT_FOUND, REFUSED, TOO_MANY, UNAVAILABLE = 10, 11, 12, 13, 14, 15
INTERRUPTED = 130

EXIT_CODES = """\
exit codes:
  0    done
  1    failed; stderr says why
  2    the command line is wrong
  3    (up, down, status …) Argosy is not running
  4    (up, restore) it is running already
  5    (reset, restore …) refused for safety
  10   not signed in, or the credential has ended
  11   not allowed
  12   there is no such thing
  13   refused: a value is not acceptable or conflicts with what is there
  14   too many requests
  15   the platform cannot be reached or is not well
  130  interrupted
"""


class Failure(Exception):
    """What is wrong, where, what to do about it, and the status to leave with."""

    def __init__(self, message: str, *, where: str = "", cure: str = "", status: int = FAILED) -> None:
        super().__init__(message)
        self.message, self.where, self.cure, self.status = message, where, cure, status

    def lines(self) -> list[str]:
        told = (("error", self.message), ("where", self.where), ("do", self.cure))
        return [f"{name}: {plain(text)}" for name, text in told if text]


def status_of(http_status: int) -> int:
    return {
        400: REFUSED, 401: NOT_SIGNED_IN, 403: FORBIDDEN, 404: NOT_FOUND, 409: REFUSED, 413: REFUSED, 415: REFUSED,
        422: REFUSED, 429: TOO_MANY, 502: UNAVAILABLE, 503: UNAVAILABLE, 504: UNAVAILABLE,
    }.get(http_status, FAILED)  # fmt: skip
