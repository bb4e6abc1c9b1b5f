"""Errors as values: what a caller is told holds when the caller acts on it."""

from __future__ import annotations

import pytest

from argosy.kit.errors import TooMany


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.0, 1), (0.2, 1), (1.0, 1), (1.4, 2), (29.5, 30), (30.1, 31)]
)
def test_who_waits_as_long_as_told_has_waited_long_enough(seconds: float, told: int) -> None:
    assert TooMany("slowly", retry_after=seconds).context == {"retry_after": told}
