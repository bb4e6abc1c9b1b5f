"""Text from elsewhere reaches a terminal without power over it, and keeps its meaning for programs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from argosy.cli.terminal import cut, escaped, plain, visible, width

ESCAPE, BIDI, C1 = "\x1b", "\u202e", "\x9b"


@pytest.mark.parametrize(
    "nasty", [ESCAPE + "[2J", BIDI + "gpj.exe", C1 + "31m", "\x07", "\x00", "\u2066", "\x7f"]
)
def test_what_could_steer_a_terminal_becomes_visible(nasty: str) -> None:
    assert plain(f"a{nasty}b").isprintable()
    assert plain(f"a{nasty}b").startswith("a\N{REPLACEMENT CHARACTER}")


def test_several_lines_become_one() -> None:
    assert plain("first\nsecond\r\n\tthird") == "first second third"


def test_whole_lines_keep_their_ends() -> None:
    assert visible(f"a,b\r\n{ESCAPE}c\n") == "a,b\r\n\N{REPLACEMENT CHARACTER}c\n"


@given(some.text())
def test_escaped_json_means_the_same_and_is_printable(text: str) -> None:
    told = escaped(json.dumps({"name": text}, indent=2, ensure_ascii=False))
    assert json.loads(told) == {"name": text}
    assert all(line.isprintable() for line in told.split("\n"))


@given(some.text(some.characters(categories=["L", "N", "P", "S"])), some.integers(1, 40))
def test_what_is_cut_fits(text: str, most: int) -> None:
    assert width(cut(text, most)) <= most
    if width(text) <= most:
        assert cut(text, most) == text
    else:
        assert cut(text, most).endswith("…")


def test_wide_letters_count_twice_and_combining_ones_not_at_all() -> None:
    assert width("日本") == 4
    assert width("e\u0301") == 1
