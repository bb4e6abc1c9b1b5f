"""How often a repository is asked whether anything was pushed: soon after something happened, seldom when all is quiet.

Plain arithmetic over the clock that is handed in; `git` asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SOONEST: Final = 10.0
LATEST: Final = 300.0
_GRACE = 30.0
"""An answer is believed a little longer than until the next look is due: that look may be under way."""


@dataclass(slots=True)
class Pace:
    """`announces`: pushes are told to us, so there is nothing to ask for."""

    announces: bool = False
    due: float = 0.0
    """When to look again; 0: never by itself."""
    _pause: float = SOONEST
    _asked_at: float = -1.0
    _announced_at: float = 0.0

    def believes(self, now: float, *, since: float | None = None) -> bool:
        """Whether the last answer still counts. `since`: only if it was asked for after that."""
        if self._asked_at <= self._announced_at and self._announced_at > 0:
            return False  # the answer may have been on its way when the push came
        if self._asked_at < 0 or (since is not None and self._asked_at < since):
            return False
        return self.announces or now < self.due + _GRACE

    def looked(self, asked_at: float, now: float, *, changed: bool) -> None:
        first, self._asked_at = self._asked_at < 0, asked_at
        if changed or first:
            self._pause = SOONEST
        else:
            self._pause = min(self._pause * 2, LATEST)
        self.due = 0.0 if self.announces else now + self._pause

    def announced(self, now: float) -> None:
        self._announced_at = now
        self._pause = SOONEST / 2  # doubled by the look that follows
