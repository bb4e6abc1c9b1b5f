from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.server.crds.regex_syntax import Node, RegexError, parse
from argosy.kube.server.crds.regexes import _Machine, _python, matcher


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("^a+$", ["a", "aaa"], ["", "ab", "a\n"]),
        ("b", ["abc"], ["ac"]),
        ("", ["", "x"], []),
        ("^(a|bc)*$", ["", "abca"], ["b"]),
        ("^.$", ["x", "é"], ["\n", "xy"]),
        ("(?s)^.$", ["\n"], [""]),
        ("(?i)^straße$", ["STRAßE"], ["strase"]),
        ("(?m)^b$", ["a\nb\nc"], ["ab"]),
        (r"^\d{2,3}$", ["12", "123"], ["1", "1234", "٣٣"]),
        (r"^\w+\s\W$", ["a_1 -"], ["a_1 b", "é -"]),
        (r"\bfoo\b", ["a foo!", "foo"], ["foobar", "éfooé_"[2:]]),
        (r"^[[:alpha:]][^[:digit:]]$", ["ax"], ["a1", "1x"]),
        (r"^[]a-]+$", ["]-a"], ["b"]),
        (r"^\x41\x{1F600}\101$", ["A😀A"], ["AA"]),
        (r"^\Qa.b\E+$", ["a.bbb"], ["axb"]),
        (r"^\pL+$", ["aéж"], ["a1"]),
        (r"^\p{Greek}\PN$", ["αβ"], ["αx1", "a1"]),
        (r"^[^\p{Lu}]+$", ["abc1"], ["aBc"]),
        (r"\Aab\z", ["ab"], ["ab\n"]),
        ("^a{0}b{1}c{2,}$", ["bcc", "bcccc"], ["abcc", "bc"]),
        ("^a{,2}$", ["a{,2}"], ["aa"]),
        ("^(?P<name>x)(?:y)?(?<other>z)$", ["xz", "xyz"], ["yz"]),
        (
            r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
            ["a.b-c.d"],
            ["a..b", "-a", "a."],
        ),
        ("^(0|[1-9][0-9]*)(Mi|Gi)?$", ["0", "12Gi"], ["01", "Gi"]),
    ],
)
def test_a_pattern_matches_as_in_go(pattern: str, yes: list[str], no: list[str]) -> None:
    matches, machine = matcher(pattern), _Machine(parse(pattern))
    for text in yes:
        assert matches(text), text
        assert machine.matches(text), text
    for text in no:
        assert not matches(text), text
        assert not machine.matches(text), text


@pytest.mark.parametrize(
    "pattern", ["(?=x)", "(?!x)", r"\1", "(?P=n)", "a**", "(", ")", "[a", "a{1001}", r"\p{Klingon}"]
)
def test_what_go_does_not_have_is_refused(pattern: str) -> None:
    with pytest.raises(RegexError, match="error parsing regexp: "):
        matcher(pattern)


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(RegexError, match="nests too deeply"):
        parse("(" * 5000 + ")" * 5000)


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(a*)*b", "^(.*,){20}x$", "^.*.*.*.*.*=.*$"])
def test_no_pattern_keeps_the_process_busy(pattern: str) -> None:
    """Python's own engine needs longer than the age of the universe for these."""
    text = "a" * 400 + "!"
    start = time.perf_counter()
    assert not matcher(pattern)(text)
    assert time.perf_counter() - start < 5


ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "^", "$", r"\b", r"\w"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=6,
)


@given(pattern=PATTERNS, text=st.text(alphabet="ab\n", max_size=6))
def test_the_machine_and_the_usual_engine_agree(pattern: str, text: str) -> None:
    tree: Node = parse(pattern)
    assert _Machine(tree).matches(text) is (re.search(_python(tree), text) is not None)


@given(pattern=st.text(alphabet="ab(|)*+?{1,2}[^-]\\dpLxQE.$:i<>P=!", max_size=12), text=st.text(max_size=5))
def test_any_pattern_either_matches_or_is_refused_with_go_s_words(pattern: str, text: str) -> None:
    told = ""
    try:
        assert matcher(pattern)(text) in {True, False}
    except RegexError as error:
        told = str(error)
    assert not told or told.startswith("error parsing regexp: ")
