"""JSON from outside: what is ambiguous, endless or not JSON is refused with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json as fast

from argosy.kit.errors import BadRequest
from argosy.kit.json import MAX_DEPTH, decode_strict


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        (b'{"a": 1, "a": 2}', "json.duplicate_key", "'a' stands twice"),
        (b'{"x": {"b": 1, "b": 1}}', "json.duplicate_key", "'b' stands twice"),
        (b"\xff\xfe", "json.encoding", "byte 0"),
        (b'{"a": NaN}', "json.syntax", "NaN"),
        (b'{"a": Infinity}', "json.syntax", "Infinity"),
        (b'{"a": }', "json.syntax", "line 1, column 7"),
        (b"[" * 5000 + b"]" * 5000, "json.depth", "nested deeper"),
        (b"[" * 200 + b"]" * 200, "json.depth", "nested deeper"),
        (b"9" * 5000, "json.value", "not acceptable"),
    ],
)
def test_what_is_ambiguous_or_endless_is_refused_with_its_place(data: bytes, code: str, says: str) -> None:
    with pytest.raises(BadRequest, match=says) as refused:
        decode_strict(data)
    assert refused.value.code == code


def test_the_deepest_allowed_value_is_accepted() -> None:
    depth = MAX_DEPTH - 1
    assert decode_strict(b"[" * depth + b"1" + b"]" * depth)


_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(_values)
def test_ordinary_values_come_through_as_they_are(value: object) -> None:
    assert decode_strict(fast.encode(value)) == value
