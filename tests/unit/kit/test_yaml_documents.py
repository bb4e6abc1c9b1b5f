"""YAML whose scalars somebody else reads, with the same guards as everybody's."""

from __future__ import annotations

from typing import Any

import pytest

from argosy.kit import yaml_documents
from argosy.kit.errors import BadRequest


class Plain:
    """Tells what it is asked to read."""

    def __init__(self, *, last_key_wins: bool = False) -> None:
        self.last_key_wins = last_key_wins

    def scalar(self, text: str, style: str, tag: str, flow: bool) -> Any:
        return (text, style, tag, flow) if style or tag or flow else text

    def key(self, text: str, style: str, tag: str) -> str:
        return text.upper()


def read(text: str, **how: bool) -> list[Any]:
    return yaml_documents.documents(text, Plain(**how))


def test_every_document_of_a_stream_is_read() -> None:
    assert read("a: x\n---\n- y\n---\nz") == [{"A": "x"}, ["y"], "z"]


def test_what_comes_behind_the_documents_that_are_wanted_is_not_looked_at() -> None:
    assert yaml_documents.documents("a: x\n---\n[", Plain(), most=1) == [{"A": "x"}]


def test_the_reader_is_told_how_a_scalar_is_written() -> None:
    assert read("a: 'x'\nb: !!str 5\nc: {d: 1}\ne: |\n  f\n") == [
        {
            "A": ("x", "'", "", False),
            "B": ("5", "", "str", False),
            "C": {"D": ("1", "", "", True)},
            "E": ("f\n", "|", "", False),
        }
    ]


def test_what_a_mapping_says_itself_wins_over_what_it_merges() -> None:
    text = "one: &one {a: 1}\ntwo:\n  <<: [*one, {a: 2, b: 2}]\n  c: own\n"

    assert read(text)[0]["TWO"] == {"C": "own", "A": ("1", "", "", True), "B": ("2", "", "", True)}


def test_an_alias_is_the_value_itself() -> None:
    value = read("a: &x\n- 1\nb: *x\n")[0]

    assert value["A"] is value["B"]


def test_a_key_that_stands_twice_is_an_error_unless_the_last_one_wins() -> None:
    with pytest.raises(BadRequest, match='line 2: mapping key "A" already defined'):
        read("a: 1\na: 2")

    assert read("a: 1\na: 2", last_key_wins=True) == [{"A": "2"}]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: *nobody", "unknown anchor 'nobody'"),
        ("a: [", "yaml: line"),
        ("? {a: b}\n: c", "only text can be a key"),
        ("<<: text", "map merge requires map"),
        ("a: !!binary aGk=", "the tag"),
        ("[" * 200 + "]" * 200, "nested deeper"),
        ("a: &a\n- *a\n", "holds itself"),
        (
            "a: &a [x, x, x, x, x, x, x, x, x]\n"
            + "".join(
                f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(8)
            ),
            "larger than",
        ),
        ("x" * (yaml_documents.MAX_BYTES + 1), "larger than"),
    ],
)
def test_what_is_no_good_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        read(text)
