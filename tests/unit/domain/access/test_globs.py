"""Wildcards: the meaning, checked against the standard library, and the time, which nobody can blow up."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from argosy.domain.access.globs import glob_test, like_pattern


@settings(deadline=None)
@given(st.text("ab*", max_size=8), st.text("ab\n", max_size=12))
@example("a*a", "a")
@example("ab*ba", "aba")
@example("*a*b*", "ba")
def test_a_star_stands_for_any_run_of_characters(pattern: str, text: str):
    oracle = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)

    assert glob_test(pattern)(text) is (oracle.fullmatch(text) is not None)


@pytest.mark.parametrize("special", [".", "[a]", "?", "%", "_", "\\", "(a+)+"])
def test_only_the_star_is_special(special: str):
    assert glob_test(f"{special}*")(f"{special}tail")
    assert not glob_test(f"{special}*")("other")


def test_a_hostile_pattern_costs_no_more_than_a_walk_over_the_text():
    fits = glob_test("*" + "a*" * 200 + "b")

    started = time.process_time()
    assert not fits("a" * 100_000)

    assert time.process_time() - started < 2


def test_the_database_pattern_escapes_what_like_would_interpret():
    assert like_pattern("50%_\\*") == "50\\%\\_\\\\%"
