"""YAML that somebody wrote to hurt: refused quickly, by line, and before it is built."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kit import yaml
from argosy.kit.errors import BadRequest

LAUGHS = b"a0: &a0 [" + b"x," * 10 + b"]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 10)
)  # fmt: skip
MERGES = b"a0: &a0 {k: v}\n" + b"".join(
    b"a%d: &a%d {<<: [%s]}\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 10)
)

BOMBS: dict[str, tuple[bytes, str]] = {
    "a billion laughs in ninety aliases": (LAUGHS, "yaml.aliases"),
    "merges of merges": (MERGES, "yaml.aliases"),
    "a thousand aliases": (b"a: &a x\nb: [" + b"*a," * 1000 + b"]", "yaml.aliases"),
    "a list that holds itself": (b"a: &a [*a]", "yaml.aliases"),
    "a mapping that holds itself": (b"&a {b: {c: *a}}", "yaml.aliases"),
    "a mapping that merges itself": (b"&a {<<: *a}", "yaml.aliases"),
    "an alias to nothing": (b"a: *nowhere", "yaml.syntax"),
    "a million lists deep": (b"[" * 1_000_000, "yaml.depth"),
    "a hundred thousand mappings deep": (b"{a: " * 100_000, "yaml.depth"),
    "deep by indentation": (b"".join(b" " * n + b"a:\n" for n in range(500)), "yaml.depth"),
    "deep by dashes": (b"- " * 2000 + b"x", "yaml.depth"),
    "too many bytes": (b"a: " + b"x" * yaml.MAX_BYTES, "yaml.size"),
    "a million and more values": (b"[" + b"x," * 1_100_000 + b"]", "yaml.aliases"),
    "an integer of a million digits": (b"a: " + b"9" * 1_000_000, "yaml.number"),
    "hours and minutes without end": (b"a: 1" + b":00" * 300_000, "yaml.number"),
    "hours and minutes with a fraction": (b"a: 1" + b":00" * 300_000 + b".5", "yaml.number"),
    "a float without end": (b"a: 1." + b"0" * 1_000_000, "yaml.number"),
    "a Python object": (b"!!python/object/apply:os.system ['id']", "yaml.tag"),
    "a Python name": (b"a: !!python/name:os.system", "yaml.tag"),
    "a tag of its own": (b"a: !secret x", "yaml.tag"),
    "a declared tag": (b"%TAG ! tag:example.com,2000:\n---\n!x {a: b}", "yaml.tag"),
    "binary": (b"a: !!binary aGVsbG8=", "yaml.tag"),
    "a set": (b"a: !!set {b, c}", "yaml.tag"),
    "a duplicate key": (b"a: 1\nb: 2\na: 3", "yaml.duplicate_key"),
    "a duplicate key further in": (b"x:\n  - {a: 1, 'a': 2}", "yaml.duplicate_key"),
    "a list as a key": (b"? [a, b]\n: c", "yaml.syntax"),
    "two documents": (b"a: 1\n---\nb: 2", "yaml.syntax"),
    "a tab": (b"a:\n\tb: 1", "yaml.syntax"),
    "a NUL": (b"a: \x00", "yaml.syntax"),
    "bad UTF-8": (b"a: \xff\xfe\xfd", "yaml.syntax"),
    "a quote without end": (b'a: "b', "yaml.syntax"),
}  # fmt: skip


@pytest.mark.parametrize("what", BOMBS)
def test_a_document_that_would_hurt_is_refused_quickly(what: str) -> None:
    data, code = BOMBS[what]
    started = time.process_time()

    with pytest.raises(BadRequest) as refusal:
        yaml.load(data)

    assert refusal.value.code == code
    assert len(refusal.value.message) < 300
    assert time.process_time() - started < 10  # minutes or hours, without the guards


@pytest.mark.parametrize(
    "what", ["a duplicate key", "a tag of its own", "a list that holds itself", "deep by dashes"]
)
def test_a_refusal_says_the_line(what: str) -> None:
    with pytest.raises(BadRequest, match=r"line \d+"):
        yaml.load(b"\n\n# above\n" + BOMBS[what][0])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"a: &x [1, 2]\nb: *x", {"a": [1, 2], "b": [1, 2]}),
        (
            b"base: &base {k: v}\nmore:\n  <<: *base\n  l: w",
            {"base": {"k": "v"}, "more": {"k": "v", "l": "w"}},
        ),
        (b"a: !!str 1\nb: !!int '2'\nc: ! x", {"a": "1", "b": 2, "c": "x"}),
        (b"a: 1:30:00", {"a": 5400}),
    ],
)
def test_what_people_write_is_read(text: bytes, value: Any) -> None:
    assert yaml.load(text) == value


def test_nothing_is_nothing_and_fifty_levels_are_fine() -> None:
    assert yaml.load(b"") is None
    assert yaml.load(b"[" * 50 + b"]" * 50) is not None


def refused(data: bytes) -> str:
    try:
        yaml.load(data)
    except BadRequest as refusal:
        return refusal.code
    return ""


@given(st.binary(max_size=300))
def test_any_bytes_are_a_value_or_a_clear_refusal(data: bytes) -> None:
    refusal = refused(data)

    assert refusal == "" or refusal.startswith("yaml.")


@given(st.text(alphabet="ab:-[]{}&*<>!|'\"\n #,?1", max_size=80))
def test_any_text_of_yamls_own_signs_is_a_value_or_a_clear_refusal(text: str) -> None:
    refusal = refused(text.encode())

    assert refusal == "" or refusal.startswith("yaml.")
