"""How long a rendering may run and how much it may make: whoever writes a template must not be able to stop the process.

Everything that takes time in proportion to a value spends for it, and everything that makes a value says how large it becomes
before it makes it. `render` opens a budget; the functions of templates find it without being handed it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from argosy.domain.templates.errors import OverBudget

MAX_STEPS = 200_000
MAX_TEXT = 4 * 1024 * 1024
MAX_ITEMS = 100_000
MAX_DEPTH = 100
"""Of values inside values."""


@dataclass(slots=True)
class Budget:
    """`shared`: that of several renderings together, which each of them spends, too."""

    steps: int = MAX_STEPS
    shared: Budget | None = None

    def spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise OverBudget("it takes too many steps")
        if self.shared is not None:
            self.shared.spend(steps)


_current: ContextVar[Budget | None] = ContextVar("budget of a template", default=None)


@contextmanager
def opened(budget: Budget) -> Iterator[Budget]:
    token = _current.set(budget)
    try:
        yield budget
    finally:
        _current.reset(token)


def spend(steps: int = 1) -> None:
    budget = _current.get()
    if budget is not None:
        budget.spend(steps)


def text_of(length: int) -> None:
    """Before a text of this many characters is made."""
    if length > MAX_TEXT:
        raise OverBudget(f"a text becomes longer than {MAX_TEXT} characters")
    spend(length >> 8)


def items_of(count: int) -> None:
    """Before a list or map of this many is made."""
    if count > MAX_ITEMS:
        raise OverBudget(f"a list becomes longer than {MAX_ITEMS} items")
    spend(max(count, 0))


def deeper(depth: int) -> int:
    """One value inside another. Answers the depth of the inner one."""
    if depth >= MAX_DEPTH:
        raise OverBudget(f"values are nested deeper than {MAX_DEPTH} levels")
    return depth + 1
