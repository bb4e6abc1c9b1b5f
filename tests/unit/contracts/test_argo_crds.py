"""The definitions that a cluster is given are those of the types."""

from __future__ import annotations

import json

import pytest

from tools.argo_crds import DEFINITIONS, FOLDER, Definition, document


@pytest.mark.parametrize("one", DEFINITIONS, ids=lambda one: one.plural)
def test_the_committed_definition_is_generated_from_the_types(one: Definition) -> None:
    written = json.loads((FOLDER / f"{one.plural}.json").read_text())
    assert written == document(one), "run python -m tools.argo_crds"
