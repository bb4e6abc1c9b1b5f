"""An error for a person: what, where, do this."""

from __future__ import annotations

import pytest

from argosy.host.supervisor.failure import three_lines
from argosy.kit.errors import ArgosyError, Conflict


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            Conflict("taken", cure="another", context={"where": "here"}),
            "error: taken\nwhere: here\ndo: another",
        ),
        (Conflict("taken"), "error: taken"),
        (Conflict("taken", context={"port": 80, "host": "x"}), "error: taken\nwhere: port 80, host x"),
        (Conflict("line one\nline two", cure="a\n\nb"), "error: line one line two\ndo: a b"),
    ],
)
def test_it_has_three_lines_at_most(error: ArgosyError, text: str) -> None:
    assert three_lines(error) == text
