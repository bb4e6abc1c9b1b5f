"""Tables, JSON and YAML: what a person and a program read."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as some

from argosy.cli.output import as_yaml, cell, fitted, show, table


@pytest.mark.parametrize(
    ("row", "way", "text"),
    [
        ({"name": "a"}, "name", "a"),
        ({"name": ""}, "name", "-"),
        ({}, "name", "-"),
        ({"name": None}, "name.inner", "-"),
        ({"on": True}, "on", "yes"),
        ({"on": False}, "on", "no"),
        ({"n": 0}, "n", "0"),
        ({"teams": [{"name": "a"}, {"name": "b"}]}, "teams.name", "a, b"),
        ({"teams": []}, "teams.name", "-"),
        ({"actions": ["SYNC", "VIEW"]}, "actions", "SYNC, VIEW"),
        ({"owner": {"name": "x"}}, "owner.name", "x"),
        ({"text": "\x1b[31mred"}, "text", "\N{REPLACEMENT CHARACTER}[31mred"),
        ({"map": {"a": "\u202e"}}, "map", '{"a": "\N{REPLACEMENT CHARACTER}"}'),
    ],
)
def test_a_cell_shows_a_value_as_a_person_reads_it(row: Any, way: str, text: str) -> None:
    assert cell(row, way) == text


def test_a_table_lines_its_columns_up_without_trailing_blanks() -> None:
    assert table(("NAME", "ID"), (("a", "1"), ("longer", "22"))) == "NAME    ID\na       1\nlonger  22\n"


def test_without_a_terminal_nothing_is_cut() -> None:
    long = "x" * 500
    assert long in table(("NAME",), ((long,),))


def test_on_a_terminal_the_widest_column_gives_way() -> None:
    shown = table(("NAME", "ID"), (("x" * 80, "6afe205da79f80eb3e46016e"),), most=60)
    assert all(len(line) <= 60 for line in shown.splitlines())
    assert "6afe205da79f80eb3e46016e" in shown
    assert "…" in shown


@given(some.lists(some.integers(0, 300), min_size=1, max_size=8), some.integers(0, 200))
def test_fitting_never_widens_and_stops_where_cells_would_tell_nothing(widths: list[int], most: int) -> None:
    fit = fitted(widths, most)
    assert all(after <= before for after, before in zip(fit, widths, strict=True))
    assert all(after >= min(before, 8) for after, before in zip(fit, widths, strict=True))
    if most and max(fit) > 8:
        assert sum(fit) + 2 * (len(fit) - 1) <= most


def test_json_is_whole_and_ends_with_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    show([{"name": "Zoë"}], "json", ())
    told = capsys.readouterr().out
    assert json.loads(told) == [{"name": "Zoë"}]
    assert "Zoë" in told
    assert told.endswith("\n")


@pytest.mark.parametrize("text", ["Zoë", "\u202ereversed", "yes", "1e3", "2026-01-31", "a: b", "\x1b[2J"])
def test_yaml_reads_back_as_it_was_and_holds_nothing_that_steers_a_terminal(text: str) -> None:
    told = as_yaml({"name": text})
    assert yaml.safe_load(told) == {"name": text}
    assert all(line.isprintable() for line in told.split("\n"))
