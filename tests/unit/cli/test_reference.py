"""The page about the command line says what the command line does."""

from __future__ import annotations

from argosy.cli import catalogue, parsers
from tools.cli_reference import PAGE, reference


def test_the_reference_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "refresh it: python -m tools.cli_reference"


def test_the_reference_has_every_verb_and_thing() -> None:
    page = reference()
    for verb in (*catalogue.HOST_VERBS, *catalogue.VERBS):
        assert f"### argosy {verb}" in page
    for verb in catalogue.RESOURCE_VERBS:
        assert page.count(f"### argosy {verb} ") == len(parsers.able(verb))
