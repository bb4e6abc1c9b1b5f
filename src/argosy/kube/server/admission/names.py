"""Random ends of names, and random places in ranges."""

from __future__ import annotations

import random
from collections.abc import Iterator

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_TRIES = 64


def suffix() -> str:
    return "".join(random.choices(_ALPHABET, k=5))


def candidates(first: int, last: int) -> Iterator[int]:
    """Some at random, then all: neighbours in time should not be neighbours in address."""
    yield from (random.randint(first, last) for _ in range(_TRIES))
    yield from range(first, last + 1)
