"""YAML as Go reads it."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.server.decoding import go_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("n", False),
        ("~", None),
        ("", None),
        ("017", 15),
        ("0x1f", 31),
        ("1_000", 1000),
        ("-3", -3),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ('"5"', "5"),
        ("!!str 5", "5"),
        ("1.2.3", "1.2.3"),
        ("99999999999999999999", 1e20),
    ],
)
def test_a_plain_word_means_what_it_means_to_go(text, value):
    read, _ = go_yaml.value(f"a: {text}\n".encode())
    assert read == {"a": value}
    assert type(read["a"]) is type(value)


def test_keys_are_texts_and_the_last_of_two_equal_ones_counts():
    read, repeated = go_yaml.value(b"1: a\ntrue: b\nx: 1\nx: 2\n")
    assert read == {"1": "a", "true": "b", "x": 2}
    assert repeated == ['line 4: key "x" already set in map']


def test_what_is_merged_stands_behind_what_is_said():
    read, _ = go_yaml.value(b"base: &b {a: 1, c: 2}\nmore:\n  <<: *b\n  a: 3\n")
    assert read["more"] == {"a": 3, "c": 2}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [b", "yaml: line 1: did not find expected ',' or ']'"),
        ("a: .inf", "json: unsupported value: +Inf"),
        ("a: &a [*a]", "yaml: anchor 'a' value contains itself"),
        ("? {a: b}\n: c", "yaml: line 1: a key must be a word or a number"),
        ("<<: 5", "yaml: map merge requires map or sequence of maps as the value"),
    ],
)
def test_what_is_no_yaml_is_refused_in_gos_words(text, words):
    with pytest.raises(go_yaml.Garbled) as raised:
        go_yaml.value(text.encode())
    assert str(raised.value) == words


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    with suppress(go_yaml.Garbled):
        go_yaml.value(text.encode("utf-8", "replace"))
