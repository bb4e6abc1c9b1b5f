"""Globs as projects and settings write them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.domain.globs import BadGlob, compiled, matches


@pytest.mark.parametrize(
    "pattern, text, separators, fits",
    [
        ("*", "", "", True), ("*", "a/b", "", True), ("a*", "a/b", "", True), ("a*c", "abc", "", True), ("a*c", "ab", "", False),
        ("", "", "", True), ("", "a", "", False), ("a.c", "abc", "", False), ("?", "a", "", True), ("?", "", "", False), ("a?c", "a/c", "", True),
        ("[ab]c", "bc", "", True), ("[!ab]c", "bc", "", False), ("[!ab]c", "xc", "", True), ("[a-c]", "b", "", True), ("[a-c]", "-", "", False),
        ("{one,two}", "two", "", True), ("{one,two}", "three", "", False), ("x{a,b{c,d}}y", "xbdy", "", True), ("{,s}ample", "sample", "", True),
        (r"\*", "*", "", True), (r"\*", "a", "", False), (r"a\{b", "a{b", "", True), ("*.example.com/*", "s3.example.com/Bucket", "", True),
        ("*", "a/b", "/", False), ("**", "a/b", "/", True), ("a/*", "a/b/c", "/", False), ("a/**", "a/b/c", "/", True), ("a?b", "a/b", "/", False),
        ("https://github.com/*/shop", "https://github.com/acme/shop", "/", True),
        ("https://github.com/*", "https://github.com/acme/shop", "/", False),
        ("https://github.com/**", "https://github.com/acme/shop", "/", True),
        ("a**b*c", "axxbxc", "/", True), ("a**b*c", "ax/xb/c", "/", False), ("a*b", "a\nb", "", True),
    ],
)  # fmt: skip
def test_a_pattern_fits_a_text(pattern: str, text: str, separators: str, fits: bool) -> None:
    assert matches(pattern, text, separators) is fits


@pytest.mark.parametrize("pattern", ["{a,b", "[ab", "[]", "[!]", "{a,b}" * 9, "x" * 5000, "[z-a]"])
def test_a_pattern_that_cannot_be_read_matches_nothing_and_can_be_told(pattern: str) -> None:
    assert not matches(pattern, pattern)
    with pytest.raises(BadGlob):
        compiled(pattern)


def test_no_pattern_takes_long() -> None:
    started = time.thread_time()
    assert not matches("*a" * 500 + "b", "a" * 4000)
    assert not matches("**a*/a" * 100 + "b", "a/" * 2000, "/")
    assert not matches("{*a,*b}" * 3 + "*c*c*c*c*c*c", "ab" * 2000)
    assert time.thread_time() - started < 1


def slow(pattern: str, text: str, separators: str) -> bool:
    if not pattern:
        return not text
    if pattern.startswith("**"):
        return slow(pattern[2:], text, separators) or (bool(text) and slow(pattern, text[1:], separators))
    if pattern[0] == "*":
        within = bool(text) and text[0] not in separators
        return slow(pattern[1:], text, separators) or (within and slow(pattern, text[1:], separators))
    fits = bool(text) and (pattern[0] == text[0] or (pattern[0] == "?" and text[0] not in separators))
    return fits and slow(pattern[1:], text[1:], separators)


@settings(max_examples=500)
@given(st.text("ab/*?", max_size=7), st.text("ab/", max_size=8), st.sampled_from(["", "/"]))
def test_it_agrees_with_trying_everything(pattern: str, text: str, separators: str) -> None:
    assert matches(pattern, text, separators) is slow(pattern, text, separators)
