"""Patterns match what upstream's libraries match: recorded from gobwas/glob 0.2.3 (crossing) and doublestar 4.10.0 (staying)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.manifests import globs

RECORDED = json.loads(Path(__file__).with_name("globs.json").read_text())
CASES = [
    (pattern, name == "crossing", matched)
    for name in ("crossing", "staying")
    for pattern, matched in RECORDED[name].items()
]


@pytest.mark.parametrize(("pattern", "crosses", "matched"), CASES)
def test_a_pattern_matches_what_the_library_matches(
    pattern: str, crosses: bool, matched: list[str] | None
) -> None:
    if matched is None:
        with pytest.raises(ValueError, match="pattern"):
            globs.compiled(pattern, crosses=crosses)
        return
    found = globs.compiled(pattern, crosses=crosses)
    assert [path for path in RECORDED["paths"] if found.match(path)] == matched


@given(st.text(alphabet="ab*?[]{}!^-,\\/.", max_size=12), st.booleans())
def test_every_pattern_is_either_compiled_or_refused_by_name(pattern: str, crosses: bool) -> None:
    try:
        globs.compiled(pattern, crosses=crosses).match("a/b.a")
    except ValueError as error:
        assert "pattern" in str(error)
