"""Scalars: read as Go reads them, refused as Go refuses them."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.server.decoding import scalars


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("Time", "yesterday", 'as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'),
        ("Time", "2024-01-01", 'as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'),
        ("Time", "2024-13-01T00:00:00Z", 'parsing time "2024-13-01T00:00:00Z": month out of range'),
        ("Time", "2024-02-30T00:00:00Z", 'parsing time "2024-02-30T00:00:00Z": day out of range'),
        ("Time", "2024-01-01T00:00:00Zx", 'parsing time "2024-01-01T00:00:00Zx": extra text: "x"'),
        ("MicroTime", "2024-05-01T10:00:00.5Z", 'cannot parse ".5Z" as ".000000"'),
        ("MicroTime", "2024-05-01T10:00:00.123456789Z", 'cannot parse "789Z" as "Z07:00"'),
        ("bytes", "%%", "illegal base64 data at input byte 0"),
        ("bytes", "abc", "illegal base64 data at input byte 0"),
        ("bytes", "abcde", "illegal base64 data at input byte 4"),
        ("bytes", "abc%", "illegal base64 data at input byte 3"),
    ],
)
def test_what_does_not_fit_is_told_with_the_place(kind, value, words):
    with pytest.raises(ValueError, match=r"^") as raised:
        scalars.READ[kind](value)
    assert str(raised.value).endswith(words)


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        ("Time", "2024-05-01T12:00:00.9+02:00", "2024-05-01T10:00:00Z"),
        ("MicroTime", "2024-05-01T10:00:00.123456Z", "2024-05-01T10:00:00.123456Z"),
        ("bytes", "YWJj\nZGVm", "YWJjZGVm"),
    ],
)
def test_what_fits_is_read_into_its_one_form(kind, value, read):
    assert scalars.READ[kind](value) == read


@given(st.binary(max_size=20))
def test_base64_is_read_to_its_end(data):
    assert scalars.READ["bytes"](base64.b64encode(data).decode()) == base64.b64encode(data).decode()
