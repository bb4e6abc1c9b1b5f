"""Variables are put in as Go's `os.Expand` does, from which the table was recorded."""

from __future__ import annotations

import pytest

from argosy.manifests.environment import Environment

EXPANDED = {
    "$A": "1", "${A}": "1", "$AB": "2", "${AB}": "2", "$A$B": "13", "$$A": "$A", "$1": "", "${1}": "", "$*x": "x", "$": "$",
    "a$": "a$", "$.": "$.", "${": "", "${A": "A", "${}": "", "${A B}": "", "$A-x": "1-x", "x$Ay": "x", "$_A": "", "é$A": "é1",
    "$Aé": "1é", "${A}}": "1}", "$-": "", "$$": "$", "$$$A": "$1", "${$}": "$", "$é": "$é",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expanded"), EXPANDED.items())
def test_a_text_is_expanded_as_go_does(text: str, expanded: str) -> None:
    assert Environment({"A": "1", "AB": "2", "B": "3"}).substitute(text) == expanded


def test_it_is_remembered_which_variables_were_used() -> None:
    environment = Environment({"ARGOCD_APP_NAME": "web", "ARGOCD_APP_REVISION": "abc"})
    assert environment.substitute("nothing") == "nothing"
    assert environment.used == set()
    assert environment.substitute("$ARGOCD_APP_REVISION-$OTHER") == "abc-"
    assert environment.used == {"ARGOCD_APP_REVISION", "OTHER"}
