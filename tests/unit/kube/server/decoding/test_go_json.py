"""Go's complaints about JSON that is none, each as its own reader words it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.server.decoding.go_json import ENDED, complaint


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", ENDED),
        (b"{", ENDED),
        (b'{"a": [1, {"b": "c', ENDED),
        (b"not json", "invalid character 'o' in literal null (expecting 'u')"),
        (b"apiVersion: v1", "invalid character 'a' looking for beginning of value"),
        (b'{"a":"b",}', "invalid character '}' looking for beginning of object key string"),
        (b'{"a" 1}', "invalid character '1' after object key"),
        (b'{"a": 1 "b": 2}', "invalid character '\"' after object key:value pair"),
        (b"[1 2]", "invalid character '2' after array element"),
        (b"{} more", "invalid character 'm' after top-level value"),
        (b"01", "invalid character '1' after top-level value"),
        (b"-x", "invalid character 'x' in numeric literal"),
        (b"1.x", "invalid character 'x' after decimal point in numeric literal"),
        (b"1ex", "invalid character 'x' in exponent of numeric literal"),
        (b'"a\nb"', "invalid character '\\n' in string literal"),
        (b'"\\q"', "invalid character 'q' in string escape code"),
        (b'"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"),
        (b"\xff", "invalid character '\xff' looking for beginning of value"),
        (b"\x9e", "invalid character '\\u009e' looking for beginning of value"),
        (b"'", "invalid character '\\'' looking for beginning of value"),
        (b"{}", ""),
    ],
)
def test_the_first_byte_at_which_go_would_stop_is_named(body, words):
    assert complaint(body) == words


def test_nesting_is_refused_where_it_is_too_deep():
    assert complaint(b"[" * 20 + b"]" * 20, deepest=10) == "invalid character '[' exceeded max depth"
    assert complaint(b"[" * 9 + b"]" * 9, deepest=10) == ""


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_there_is_nothing_wrong_with_json(value):
    assert complaint(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")) == ""


@given(st.binary(max_size=40))
def test_whatever_it_is_there_is_an_answer(body):
    assert isinstance(complaint(body), str)
