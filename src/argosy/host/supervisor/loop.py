"""A selector, timers and signals in one place: the smallest loop that never misses a child's death.

`supervisor` registers callbacks and calls `step` until it is done. Signals arrive as bytes on a pipe
(`signal.set_wakeup_fd`), so each is handled between two callbacks and never inside one.
"""

from __future__ import annotations

import heapq
import itertools
import os
import selectors
import signal
import time
from collections.abc import Callable, Iterable
from types import FrameType

Callback = Callable[[], None]


class Loop:
    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._timers: list[tuple[float, int, Callback]] = []
        self._order = itertools.count()
        self._handlers: dict[int, object] = {}
        self._wake_in, self._wake_out = os.pipe()
        os.set_blocking(self._wake_in, False)
        os.set_blocking(self._wake_out, False)
        self._old_wakeup = -1

    def on_signals(self, numbers: Iterable[int], callback: Callable[[int], None]) -> None:
        self._old_wakeup = signal.set_wakeup_fd(self._wake_out, warn_on_full_buffer=False)
        for number in numbers:
            self._handlers[number] = signal.signal(number, _wake_only)

        def deliver() -> None:
            for number in dict.fromkeys(os.read(self._wake_in, 4096)):
                if number in self._handlers:
                    callback(number)

        self.on_readable(self._wake_in, deliver)

    def on_readable(self, fd: int, callback: Callback) -> None:
        self._selector.register(fd, selectors.EVENT_READ, callback)

    def forget(self, fd: int) -> None:
        self._selector.unregister(fd)

    def after(self, seconds: float, callback: Callback) -> None:
        """Timers cannot be cancelled: a callback looks whether its occasion still exists."""
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), callback))

    def step(self, longest: float = 3600.0) -> None:
        """Wait for the next thing, and call back whoever asked for it."""
        wait = max(0.0, min(longest, self._timers[0][0] - time.monotonic())) if self._timers else longest
        for key, _ in self._selector.select(wait):
            # An earlier callback of this round may have closed what this one stands for.
            if self._selector.get_map().get(key.fd) is key:
                key.data()
        while self._timers and self._timers[0][0] <= time.monotonic():
            heapq.heappop(self._timers)[2]()

    def close(self) -> None:
        signal.set_wakeup_fd(self._old_wakeup)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._selector.close()
        os.close(self._wake_in)
        os.close(self._wake_out)


def _wake_only(_number: int, _frame: FrameType | None) -> None:
    """The signal is already on the pipe; a handler must exist so that the default action is not taken."""
