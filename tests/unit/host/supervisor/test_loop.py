"""The smallest loop: readable things, timers, signals."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from argosy.host.supervisor.loop import Loop


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


def test_timers_fire_in_the_order_of_their_time(loop: Loop) -> None:
    fired: list[str] = []
    loop.after(0.02, lambda: fired.append("late"))
    loop.after(0.0, lambda: fired.append("soon"))
    loop.after(0.0, lambda: fired.append("soon after"))
    while len(fired) < 3:
        loop.step()
    assert fired == ["soon", "soon after", "late"]


def test_what_an_earlier_callback_closed_is_not_called(loop: Loop) -> None:
    """Both pipes are readable in the same round; whoever is first closes the other."""
    pipes = [os.pipe(), os.pipe()]
    called: list[int] = []

    def take(own: int, other: int) -> None:
        called.append(own)
        loop.forget(other)

    for own, other in ((0, 1), (1, 0)):
        fd, other_fd = pipes[own][0], pipes[other][0]
        loop.on_readable(fd, lambda fd=fd, other_fd=other_fd: take(fd, other_fd))  # type: ignore[misc]
        os.write(pipes[own][1], b"x")
    loop.step()
    assert len(called) == 1
    for fd in sum(pipes, ()):
        os.close(fd)


def test_a_signal_is_delivered_between_callbacks_and_the_old_handler_comes_back() -> None:
    before = signal.getsignal(signal.SIGUSR1)
    loop, seen = Loop(), list[int]()
    loop.on_signals((signal.SIGUSR1,), seen.append)
    os.kill(os.getpid(), signal.SIGUSR1)
    while not seen:
        loop.step()
    loop.close()
    assert seen == [signal.SIGUSR1]
    assert signal.getsignal(signal.SIGUSR1) == before
