"""The documentation is checked like code: links, headings, and a line for each dependency."""

import re
import tomllib
from pathlib import Path

import pytest

from argosy.host import listing, registry
from tools.docs import ARCHITECTURE, anchors, broken_links, pages, with_diagram
from tools.steps import ROOT


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    assert list(broken_links(page)) == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_module_and_test_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(r"(?<![\w/.<-])(?:src|tests|tools)/[\w/.-]+\.(?:py|toml|sql)\b", page.read_text())

    assert [name for name in named if not (ROOT / name).exists()] == []


def test_a_broken_link_and_a_missing_heading_are_found(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# Only this\n")
    page = tmp_path / "page.md"
    page.write_text("[a](gone.md) [b](there.md#only-this) [c](there.md#other) `[d](code.md)`\n")

    assert len(list(broken_links(page))) == 2


def test_headings_become_anchors_as_on_the_web() -> None:
    assert anchors("# One & two\n\n## `make up`: first!\n") == {"one--two", "make-up-first"}


def test_the_diagram_replaces_only_what_stands_between_the_marks() -> None:
    page = "before\n<!-- services -->\nold\n<!-- /services -->\nafter\n"

    drawn = with_diagram(page, "graph LR\n  a --> b\n")

    expected = "before\n<!-- services -->\n```mermaid\ngraph LR\n  a --> b\n```\n<!-- /services -->\nafter\n"
    assert drawn == expected


def test_the_architecture_page_draws_the_services_that_there_are() -> None:
    """`make docs` refreshes it."""
    page = ARCHITECTURE.read_text()

    assert with_diagram(page, listing.mermaid(registry.load(registry.NAMES))) == page


def test_every_dependency_has_its_line_and_no_line_is_without_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"]]
    for group in project["dependency-groups"].values():
        wanted += group
    declared = {re.split(r"[<>=!~\[ ]", dependency)[0] for dependency in wanted}
    listed = re.findall(r"^\| `([\w.-]+)` \|", (ROOT / "docs" / "dependencies.md").read_text(), re.MULTILINE)

    assert set(listed) == declared
    assert len(listed) == len(set(listed))
